const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const

/** As people write it, in its two largest units: "1 h", "1 min 30 s", "2 d 4 h"; 0 is "0 s". */
export const formatDuration = (seconds: number): string => {
  const parts: Array<string> = []
  let rest = Math.round(seconds)
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size)
    if (amount > 0) parts.push(`${amount} ${unit}`)
    rest -= amount * size
  }
  return parts.slice(0, 2).join(" ") || "0 s"
}
