/** The products that a User-Agent header names, the more specific one first: Chrome is in the header of Edge too. */
const browsers = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//]
] as const

const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/]
] as const

/** A short name of a browser's header, such as "Firefox, Windows". Other programs' headers, and names by people, stay. */
export const nameOfUserAgent = (header: string): string => {
  if (!header.startsWith("Mozilla/")) return header
  const names = [browsers, systems].flatMap((known) => known.find(([, pattern]) => pattern.test(header))?.[0] ?? [])
  return names.length === 0 ? header : names.join(", ")
}
