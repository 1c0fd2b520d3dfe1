import { useQuery } from "@tanstack/react-query"
import { useLocation } from "@tanstack/react-router"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { factorQuery } from "./secondFactor.ts"

/** Above every page while the policy wants a second factor that is not set up yet: until when, and where. */
export const EnrolmentNotice = () => {
  const { secondFactor: texts } = useTexts()
  const format = useFormat()
  const { href } = useLocation()
  const { data: status } = useQuery({ ...factorQuery, staleTime: Infinity, retry: false })
  if (status === undefined || status.enrolled || !status.enrollment_required || status.enrollment_deadline === null) {
    return null
  }
  return (
    <p role="status" className="flex flex-wrap gap-x-3 border-b border-line bg-paper px-3 py-2">
      <span className="font-medium">{texts.required(format.dateTime(Date.parse(status.enrollment_deadline)))}</span>
      <TextLink to="/second-factor" search={{ to: href }}>{texts.setUp}</TextLink>
    </p>
  )
}
