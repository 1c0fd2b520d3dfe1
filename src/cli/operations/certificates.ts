import { Options } from "@effect/cli"
import { bindCommands, define } from "../program/Group.ts"
import { integer, text } from "../program/Options.ts"

export const definitions = {
  "mint-scheduler-cert": define(
    "Create the certificate and key of a scheduler program, or of the brain's port for them.",
    {
      name: text("name", "Name of the scheduler, such as scheduler-1: the brain knows it by this name."),
      caCert: text("ca-cert", "File with the authority's certificate; created with its key if neither file exists."),
      caKey: text("ca-key", "File with the authority's key. Keep it away from schedulers and from the brain."),
      outDir: text("out-dir", "Folder for the new files NAME.pem and NAME-key.pem."),
      serverHosts: text(
        "server-hosts",
        "For the brain instead: the host names and addresses of its port, separated by commas."
      ).pipe(Options.withDefault("")),
      days: integer("days", "Days until the certificate expires, 1 to 3650.", 365)
    }
  )
}

export const { "mint-scheduler-cert": mintSchedulerCert } = bindCommands(
  definitions,
  () => import("./handlers/certificates.ts")
)
