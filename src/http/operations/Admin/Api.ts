import { HttpApiEndpoint } from "@effect/platform"
import { AuditForwarderStatus } from "../../../domain/audit/AuditForwarder.ts"
import { MfaPolicy, MfaPolicyUpdate } from "../../../domain/identity/Mfa.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { AdminSettings, VersionsSnapshot } from "../../../domain/operations/Installation.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

/** The installation, for global admins (bodies: system, admin-settings, admin-audit-forwarder). */
export class AdminApi extends actorGroup("admin", "Installation")
  .add(
    HttpApiEndpoint.get("settings", "/admin/settings")
      .addSuccess(AdminSettings)
      .annotate(Access, { caller: "global_admin", scope: "admin:*" })
      .annotateContext(
        operation("List the settings", "Those in force, of the process that responds. Secrets are masked.")
      )
  )
  .add(
    HttpApiEndpoint.get("auditForwarder", "/admin/audit-forwarder")
      .addSuccess(AuditForwarderStatus)
      .annotate(Access, { caller: "global_admin", scope: "admin:*" })
      .annotateContext(operation(
        "Show how the audit webhook is doing",
        "Rows that wait, were delivered or were dropped, in the process that responds: each replica has a queue of its own."
      ))
  )
  .add(
    HttpApiEndpoint.get("versions", "/admin/system/versions")
      .addSuccess(VersionsSnapshot)
      .annotate(Access, { caller: "global_admin", scope: "admin:*" })
      .annotateContext(operation(
        "Show the versions",
        "What runs, and what the release feed (`SVC_RELEASES_URL`) had when it was last read. Calls nothing outside."
      ))
  )
  .add(
    HttpApiEndpoint.post("checkVersions", "/admin/system/versions/check")
      .addSuccess(VersionsSnapshot)
      .annotate(Access, {
        caller: "global_admin",
        scope: "admin:*",
        mutates: true,
        failureCodes: ["version_check_disabled", "version_check_failed"]
      })
      .annotateContext(operation(
        "Read the release feed for a newer version",
        "The document at `SVC_RELEASES_URL`, which an operator sets. Its content is stored for all replicas."
      ))
  )
  .add(
    HttpApiEndpoint.get("mfaPolicy", "/admin/mfa-policy")
      .addSuccess(MfaPolicy)
      .annotate(Access, { caller: "global_admin", scope: "admin:*" })
      .annotateContext(operation(
        "Show who must have a second factor",
        "By the settings, and by the stored policy, which can only add to them."
      ))
  )
  .add(
    HttpApiEndpoint.patch("setMfaPolicy", "/admin/mfa-policy")
      .setPayload(MfaPolicyUpdate)
      .addSuccess(MfaPolicy)
      .annotate(Access, {
        caller: "global_admin",
        scope: "admin:*",
        mutates: true,
        stepUp: true,
        failureCodes: ["mfa_not_enrolled", "mfa_required_by_setting"]
      })
      .annotateContext(operation(
        "Say whether everyone needs a second factor",
        "Users without one are led to set it up at their next sign-in, within the days of grace. Who requires it must " +
          "have one."
      ))
  )
{}
