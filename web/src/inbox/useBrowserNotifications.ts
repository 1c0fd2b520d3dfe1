import { useEffect, useState } from "react"
import { useStored } from "../ui/useStored.ts"

/** Browsers have notifications and locks only over HTTPS and from their own machine, and some have none. */
const isSupported = isSecureContext && "Notification" in window && "permissions" in navigator && "locks" in navigator

/** What the person allows svc in this browser, also after a change in the browser's settings; null until it is known. */
const usePermission = (): PermissionState | "unsupported" | null => {
  const [permission, setPermission] = useState<PermissionState | "unsupported" | null>(
    isSupported ? null : "unsupported"
  )
  useEffect(() => {
    if (!isSupported) return
    const ended = new AbortController()
    void navigator.permissions.query({ name: "notifications" }).then((status) => {
      const follow = () => ended.signal.aborted || setPermission(status.state)
      follow()
      status.addEventListener("change", follow, { signal: ended.signal })
    })
    return () => ended.abort()
  }, [])
  return permission
}

/** Whether this browser shows what is new in the inbox, and the function that turns it on and off. */
export const useBrowserNotifications = () => {
  const [chosen, store] = useStored("svc.browserNotifications")
  const permission = usePermission()
  const choose = (isOn: boolean) => {
    store(isOn ? "yes" : "no")
    if (isOn && permission === "prompt") void Notification.requestPermission()
  }
  return { permission, isOn: chosen === "yes" && permission === "granted", choose }
}
