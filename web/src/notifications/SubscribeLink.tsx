import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { buttonClass } from "../ui/Button.tsx"

/** The way forward from a list that one's subscriptions fill. */
export const SubscribeLink = () => {
  const { overview: { firstSteps: texts } } = useTexts()
  return <Link to="/account/notifications" search={{}} className={buttonClass()}>{texts.steps.subscribe.name}</Link>
}
