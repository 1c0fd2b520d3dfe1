import { Console, Effect, Option, Predicate } from "effect"
import type { Approval } from "../../../domain/approvalGate/Approval.ts"
import { ApprovalId } from "../../../domain/kernel/Id.ts"
import { givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, idColumn } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import { listPages } from "../../remote/ListAll.ts"
import type { Remote } from "../../remote/Remote.ts"
import { resolveId } from "../../remote/ResolveId.ts"
import type { definitions } from "../approvals.ts"

const columns: ReadonlyArray<Column<Approval>> = [
  { head: "SUMMARY", cell: ({ summary }) => summary, maxLength: 80, minLength: 20 },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "ASKED", cell: ({ created_at }, view) => formatAge(created_at, view) },
  idColumn("ID", ({ id }) => id)
]

const formatApproval = (approval: Approval, text: string): string =>
  formatFields([
    ["summary", approval.summary],
    ["approval", approval.id],
    ["kind", approval.kind],
    ["status", approval.status],
    ["asked by", approval.requested_by_name ?? approval.requested_by],
    ["asked", approval.created_at],
    ["expires", approval.expires_at],
    ["request", jsonMemberOf(text, "request")],
    ["before", approval.before === null ? null : jsonMemberOf(text, "before")],
    ["after", approval.after === null ? null : jsonMemberOf(text, "after")],
    ["revision", approval.revision],
    ["decided by", approval.decided_by_name ?? approval.decided_by],
    ["decided", approval.decided_at],
    ["reason", approval.reason],
    ["result", jsonMemberOf(text, "result")]
  ])

/** The sentence of a problem, for people. */
const problemOf = (result: unknown): string =>
  Predicate.hasProperty(result, "detail") ? String(result.detail) : JSON.stringify(result)

/** The path of the approval of this id, or part of one. */
const pathOf = ({ api, slug }: Remote, given: string) => {
  const list = Effect.map(
    listPages((urlParams) => api.approvals.list({ path: { slug }, urlParams })),
    (pages) => pages.flatMap(({ items }) => items)
  )
  const sought = { what: "approval", given, nameOf: ({ summary }: Approval) => summary, listedBy: "svc approvals list" }
  return Effect.map(resolveId(ApprovalId, list, sought), (approval_id) => ({ slug, approval_id }))
}

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }, { cursor, limit, status }) => {
    const urlParams = { limit, ...givenOf({ cursor, status }) }
    return api.approvals.list({ path: { slug }, urlParams, withResponse: true })
  }),
  show: show(function*(remote, { approval }) {
    const path = yield* pathOf(remote, approval)
    return yield* remote.api.approvals.get({ path, withResponse: true })
  }, formatApproval),
  approve: call(function*(remote, { approval }) {
    const path = yield* pathOf(remote, approval)
    const { result, status, summary } = yield* remote.api.approvals.approve({ path })
    if (status === "failed") {
      return yield* new CliError({
        message: `approved, and the brain refused it afterwards: ${summary}: ${problemOf(result)}`
      })
    }
    yield* Console.log(`approved and done: ${escapeText(summary)}`)
    if (Predicate.hasProperty(result, "accept_url_path")) {
      yield* Console.log(`link of the invitation, shown only now: ${escapeText(String(result.accept_url_path))}`)
    }
  }),
  reject: call(function*(remote, { approval, reason }) {
    const path = yield* pathOf(remote, approval)
    const { summary } = yield* remote.api.approvals.reject({ path, payload: { reason: Option.getOrNull(reason) } })
    yield* Console.log(`rejected: ${escapeText(summary)}`)
  })
}
