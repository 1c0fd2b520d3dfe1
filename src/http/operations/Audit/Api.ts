import { HttpApiEndpoint } from "@effect/platform"
import { AuditPage, ListAudit } from "../../../domain/audit/Activity.ts"
import { AuditVerification } from "../../../domain/audit/Verification.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

/** A project's audit log (bodies: audit). With `format`, the list is a file: see docs/api.md. */
export class AuditApi extends projectGroup("audit", "Audit")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/audit`
      .setUrlParams(ListAudit)
      .addSuccess(AuditPage)
      .annotate(Access, { caller: "auditor", scope: "audit:read", heavy: "by_query" })
      .annotateContext(operation(
        "List a project's audit log",
        "Newest first; all terms must hold. With `format` it is a file, and `cursor` and `limit` are " +
          "ignored."
      ))
  )
  .add(
    HttpApiEndpoint.get("verification")`/projects/${slug}/audit/verification`
      .addSuccess(AuditVerification)
      .annotate(Access, { caller: "auditor", scope: "audit:read" })
      .annotateContext(operation(
        "Show the verification of the audit log",
        "The log has one chain for all projects, so the verification is the brain's: what runs now, with its progress, " +
          "and what the last one found."
      ))
  )
  .add(
    HttpApiEndpoint.post("verify")`/projects/${slug}/audit/verification`
      .addSuccess(AuditVerification, { status: 202 })
      .annotate(Access, { caller: "auditor", scope: "audit:write", mutates: true, bucket: "bulk_write" })
      .annotateContext(operation(
        "Verify the audit log",
        "Every row, in the background. One verification runs at a time: while one waits or runs, the response is that one."
      ))
  )
{}
