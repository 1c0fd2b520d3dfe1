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
    const hold = () => {
      if (!signal.aborted) setNotifier(true)
      return untilEnded
    }
    const run = async () => {
      while (!signal.aborted) {
        waiting = new AbortController()
        // asked anew each time: a tab that lost the lock to one with the focus must not take it back
        const options = document.hasFocus() ? { steal: true } : { signal: waiting.signal }
        await navigator.locks.request(lockName, options, hold).catch(() => {}) // another tab took it, or this one will
        if (!signal.aborted) setNotifier(false)
      }
    }
    // ends the wait, so that the lock is asked for again; nothing where this tab has the lock
    addEventListener("focus", () => waiting.abort(), { signal })
    void run()
    return () => {
      ended.abort()
      waiting.abort()
    }
  }, [])
  return isNotifier
}
