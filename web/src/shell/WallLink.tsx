import { Link, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { linkClass } from "../ui/TextLink.tsx"

/** Leads to the same page for a screen on a wall. */
export const WallLink = () => {
  const { wall: texts } = useTexts()
  const { wall } = useSearch({ strict: false })
  if (wall === 1) return null // the frame has the link back
  return (
    <Link to="." search={(known) => ({ ...known, wall: 1 })} className={`${linkClass.row} ml-auto text-soft`}>
      {texts.open}
    </Link>
  )
}
