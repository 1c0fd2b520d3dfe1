import { useEffect, useState } from "react"
import { findFilter, leaveFilter } from "../ui/rows.ts"

/** Moves the focus from the line to the first row, once the list shows what was typed. */
export const useRowsFocus = (line: string, isRead: boolean): (typed: string) => void => {
  const [left, setLeft] = useState<string | null>(null)
  useEffect(() => {
    if (left !== line || !isRead) return
    // the rows are in the document once the table has measured itself
    const frame = requestAnimationFrame(() => {
      setLeft(null)
      const filter = findFilter()
      if (filter?.value === line) leaveFilter(filter)
    })
    return () => cancelAnimationFrame(frame)
  }, [left, line, isRead])
  return setLeft
}
