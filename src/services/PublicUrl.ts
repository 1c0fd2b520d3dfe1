import { parseHostHeader, isLoopbackName } from "../domain/HostName.ts"
import type { SettingsShape } from "./Settings.ts"

/**
 * Where people reach the brain, without a slash at the end: SVC_PUBLIC_URL, else host and port; an address that
 * stands for all of the machine's is shown as localhost.
 */
export const publicUrlOf = ({ host, port, publicUrl }: Pick<SettingsShape, "host" | "port" | "publicUrl">): string => {
  if (publicUrl !== "") return publicUrl.replace(/\/+$/, "")
  const name = ["0.0.0.0", "::", ""].includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `http://${name}:${port}`
}

/**
 * Whether passwords and session cookies may come in at the address that a request's Host header names: over https
 * anywhere, over plain http on the machine itself, or in development.
 */
export const acceptsSecretsAt = (settings: Pick<SettingsShape, "environment" | "host" | "port" | "publicUrl">) => {
  const isSecureEverywhere = publicUrlOf(settings).startsWith("https:") || settings.environment === "development"
  return (hostHeader: string): boolean => isSecureEverywhere || isLoopbackName(parseHostHeader(hostHeader) ?? "")
}
