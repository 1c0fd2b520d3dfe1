import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { AuditPage, ListAudit } from "../../../domain/audit/Activity.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { ProvideActor, ProvideProject } from "../../Access.ts"
import { inChapter, operation } from "../../Docs/Tags.ts"
import { slug } from "../../ProjectPath.ts"

/** A project's audit log (bodies: audit). With `format`, the list is a file: see docs/api.md. */
export class AuditApi extends HttpApiGroup.make("audit")
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
  .middleware(ProvideProject)
  .middleware(ProvideActor)
  .annotateContext(inChapter("Audit"))
{}
