/** The languages in which svc speaks to people: those of the dashboard. */
export const languages = ["en", "de", "es", "fr", "ja"] as const
export type Language = (typeof languages)[number]

/** Browsers list few languages; a longer header is no browser's. */
const maxTags = 32

/**
 * The first language of an `Accept-Language` header (RFC 9110, 12.5.4) that svc speaks, else English. Clients send the
 * preferred one first, so weights are not compared.
 */
export const languageOf = (acceptLanguage: string | undefined): Language => {
  const tags = (acceptLanguage ?? "").split(",", maxTags)
  for (const tag of tags) {
    const name = tag.trim().split(/[-;]/, 1)[0]?.toLowerCase()
    const known = languages.find((language) => language === name)
    if (known !== undefined) return known
  }
  return "en"
}
