import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { buttonClass } from "../ui/Button.tsx"

/** The way forward from an empty list that is filled from the list of tasks. */
export const TasksLink = ({ slug }: { readonly slug: string }) => {
  const { tasks: texts } = useTexts()
  return <Link to="/projects/$slug/tasks" params={{ slug }} className={buttonClass()}>{texts.goTo}</Link>
}
