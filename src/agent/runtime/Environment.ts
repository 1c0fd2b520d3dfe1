import { readFileSync } from "node:fs"
import type { BrainSecrets, HostOptions, Transport } from "./HostOptions.ts"

/** The options that `SVC_AGENT_…` variables set (docs/settings.md): all except the engines. */
export type EnvironmentOptions = BrainSecrets & Omit<HostOptions, "log">

const transports: ReadonlyArray<Transport> = ["auto", "ws", "longpoll"]

/**
 * Options from environment variables: `startAgent({ ...fromEnvironment(process.env), engines })`. The two secrets may
 * also be files, named by `SVC_AGENT_TOKEN_FILE` and `SVC_AGENT_HMAC_SECRET_FILE`. Never throws: the agent
 * names missing ones when it starts.
 */
export const fromEnvironment = (environment: Readonly<Record<string, string | undefined>>): EnvironmentOptions => {
  const text = (name: string): string | undefined => (environment[name] === "" ? undefined : environment[name])
  const secret = (name: string): string => text(name) ?? readSecretFile(text(`${name}_FILE`))
  const home = text("SVC_AGENT_HOME")
  const name = text("SVC_AGENT_NAME")
  const transport = transports.find((each) => each === text("SVC_AGENT_TRANSPORT")?.toLowerCase())
  return {
    brainUrl: text("SVC_AGENT_BRAIN_URL") ?? "",
    token: secret("SVC_AGENT_TOKEN"),
    hmacSecret: secret("SVC_AGENT_HMAC_SECRET"),
    allowInsecure: text("SVC_AGENT_ALLOW_INSECURE")?.toLowerCase() === "yes",
    redactExtraKeys: (text("SVC_AGENT_REDACT_EXTRA_KEYS") ?? "").split(",").map((key) => key.trim()).filter((key) =>
      key !== ""
    ),
    ...(home === undefined ? {} : { home }),
    ...(name === undefined ? {} : { name }),
    ...(transport === undefined ? {} : { transport })
  }
}

const readSecretFile = (path: string | undefined): string => {
  if (path === undefined) return ""
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    return ""
  }
}
