import { isLoopbackName, parseHostHeader } from "../../domain/kernel/net/HostName.ts"
import type { SettingsShape } from "./Settings.ts"

/**
 * The public URL of the brain without a trailing slash: SVC_PUBLIC_URL, else host and port. A wildcard address is shown
 * as localhost.
 */
export const publicUrlOf = ({ host, port, publicUrl }: Pick<SettingsShape, "host" | "port" | "publicUrl">): string => {
  if (publicUrl !== "") return publicUrl.replace(/\/+$/, "")
  const name = ["0.0.0.0", "::", ""].includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `http://${name}:${port}`
}

/**
 * Whether passwords and session cookies are accepted at the address of a request's Host header: over https anywhere,
 * over plain http on a loopback address or in development.
 */
export const acceptsSecretsAt = (settings: Pick<SettingsShape, "environment" | "host" | "port" | "publicUrl">) => {
  const isSecureEverywhere = publicUrlOf(settings).startsWith("https:") || settings.environment === "development"
  return (hostHeader: string): boolean => isSecureEverywhere || isLoopbackName(parseHostHeader(hostHeader) ?? "")
}
