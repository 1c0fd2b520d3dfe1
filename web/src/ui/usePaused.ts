import { useEffect, useState } from "react"

const pauseMillis = 200

/** The text as it was when the person last paused while typing it: not every letter is a request. */
export const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
