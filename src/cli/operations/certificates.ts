import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"

const handler = lazyHandlers(() => import("./handlers/certificates.ts"))

const file = (name: string, description: string) => Options.text(name).pipe(Options.withDescription(description))

export const mintSchedulerCert = Command.make("mint-scheduler-cert", {
  name: file("name", "Name of the scheduler, such as scheduler-1: the brain knows it by this name."),
  caCert: file("ca-cert", "File with the authority's certificate; created with its key if neither file exists."),
  caKey: file("ca-key", "File with the authority's key. Keep it away from schedulers and from the brain."),
  outDir: file("out-dir", "Folder for the new files NAME.pem and NAME-key.pem."),
  serverHosts: Options.text("server-hosts").pipe(
    Options.withDescription("For the brain instead: the host names and addresses of its port, separated by commas."),
    Options.withDefault("")
  ),
  days: Options.integer("days").pipe(
    Options.withDescription("Days until the certificate expires, 1 to 3650."),
    Options.withDefault(365)
  )
}, handler((module) => module.mintSchedulerCert)).pipe(
  Command.withDescription("Create the certificate and key of a scheduler program, or of the brain's port for them.")
)
