import { Console, Effect, Option, Predicate } from "effect"
import type { Approval, ApprovalStatus } from "../../../domain/approvalGate/Approval.ts"
import { ApprovalId } from "../../../domain/kernel/Id.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatPage } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

interface Target {
  readonly approval: string
  readonly project: Option.Option<string>
}

const columns: ReadonlyArray<Column<Approval>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "SUMMARY", cell: ({ summary }) => summary, maxLength: 80, minLength: 20 },
  { head: "ASKED", cell: ({ created_at }, view) => formatAge(created_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

export const list = ({ cursor, json, limit, project, status }: {
  readonly status: Option.Option<ApprovalStatus>
  readonly limit: number
  readonly cursor: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, ({ api, slug }) => {
    const urlParams = {
      limit,
      ...(Option.isSome(cursor) && { cursor: cursor.value }),
      ...(Option.isSome(status) && { status: status.value })
    }
    return Effect.flatMap(
      api.approvals.list({ path: { slug }, urlParams, withResponse: true }),
      (answer) => printAnswer(answer, json, formatPage(columns))
    )
  })

const formatApproval = (approval: Approval, text: string): string =>
  formatFields([
    ["approval", approval.id],
    ["kind", approval.kind],
    ["summary", approval.summary],
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

const approvalIdOf = (given: string) => decodeInput(ApprovalId, given.toLowerCase())

export const show = ({ approval, json, project }: Target & { readonly json: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const path = { slug, approval_id: yield* approvalIdOf(approval) }
      yield* printAnswer(yield* api.approvals.get({ path, withResponse: true }), json, formatApproval)
    }))

export const approve = ({ approval, project }: Target) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const path = { slug, approval_id: yield* approvalIdOf(approval) }
      const { result, status, summary } = yield* api.approvals.approve({ path })
      if (status === "failed") {
        return yield* new CliError({
          message: `approved, and the brain refused it afterwards: ${summary}: ${problemOf(result)}`
        })
      }
      yield* Console.log(`approved and done: ${escapeText(summary)}`)
      if (Predicate.hasProperty(result, "accept_url_path")) {
        yield* Console.log(`link of the invitation, shown only now: ${escapeText(String(result.accept_url_path))}`)
      }
    }))

export const reject = ({ approval, project, reason }: Target & { readonly reason: Option.Option<string> }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const path = { slug, approval_id: yield* approvalIdOf(approval) }
      const { summary } = yield* api.approvals.reject({ path, payload: { reason: Option.getOrNull(reason) } })
      yield* Console.log(`rejected: ${escapeText(summary)}`)
    }))
