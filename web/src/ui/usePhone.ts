import { useEffect, useState } from "react"

/** Whether the window is as narrow as a phone, for what styles alone cannot change. */
export const usePhone = () => {
  const [isPhone, setPhone] = useState(() => matchMedia("(width < 48rem)").matches)
  useEffect(() => {
    const query = matchMedia("(width < 48rem)")
    const update = () => setPhone(query.matches)
    query.addEventListener("change", update)
    return () => query.removeEventListener("change", update)
  }, [])
  return isPhone
}
