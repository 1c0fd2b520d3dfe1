import { Effect } from "effect"
import { findOne } from "../io/Find.ts"
import { isWholeId } from "../io/ShortId.ts"
import { listPages } from "../remote/ListAll.ts"
import type { Remote } from "../remote/Remote.ts"

/** The largest page of failure groups. */
const pageSize = 200

/** The fingerprint of the failure group that a person typed all or a part of, or the only group of this task name. */
export const findFingerprint = ({ api, slug }: Remote, given: string) =>
  Effect.gen(function*() {
    if (isWholeId(given)) return given.toLowerCase()
    const pages = yield* listPages((query) =>
      api.failures.list({ path: { slug }, urlParams: { ...query, status: "all", limit: pageSize } })
    )
    const groups = pages.flatMap(({ items }) => items).map((group) => ({ ...group, id: group.fingerprint }))
    const { fingerprint } = yield* findOne(groups, {
      what: "failure group",
      given,
      nameOf: ({ sample_task_name }) => sample_task_name,
      listedBy: "svc failures list"
    })
    return fingerprint
  })

/** The terms of a query with the whole fingerprint. */
export const resolveFingerprint = <Terms extends { readonly fingerprint?: string | undefined }>(
  remote: Remote,
  terms: Terms
) =>
  terms.fingerprint === undefined
    ? Effect.succeed(terms)
    : Effect.map(findFingerprint(remote, terms.fingerprint), (fingerprint): Terms => ({ ...terms, fingerprint }))
