import { useEffect, useState } from "react"

const lockName = "svc.browserNotifications"

/**
 * Whether this tab shows the notifications: of all open ones it is the one that had the focus last. It holds a lock, which
 * it takes from another tab when it gets the focus; when it is closed, the browser gives the lock to one that waits.
 */
export const useIsNotifier = (): boolean => {
  const [isNotifier, setNotifier] = useState(false)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const untilEnded = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
    let waiting = new AbortController()
    let hasNewFocus = true
    const hold = () => {
      if (!signal.aborted) setNotifier(true)
      return untilEnded
    }
    const run = async () => {
      while (!signal.aborted) {
        waiting = new AbortController()
        // once for each focus: two tabs can both say they have it, and would take the lock from each other for ever;
        // and only with the focus: one that came while this tab had the lock already is no later claim
        const steals = hasNewFocus && document.hasFocus()
        hasNewFocus = false
        const options = steals ? { steal: true } : { signal: waiting.signal }
        await navigator.locks.request(lockName, options, hold).catch(() => {}) // another tab took it, or this one will
        if (!signal.aborted) setNotifier(false)
      }
    }
    const onFocus = () => {
      hasNewFocus = true
      waiting.abort() // the lock is asked for again; nothing where this tab has it
    }
    addEventListener("focus", onFocus, { signal })
    void run()
    return () => {
      ended.abort()
      waiting.abort()
    }
  }, [])
  return isNotifier
}
