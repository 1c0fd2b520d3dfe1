import { useParams } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { AlertsPart } from "./alerts/AlertsPart.tsx"

/** What a project tells people and channels of. */
export const NotificationsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/notifications" })
  const { notifications: texts } = useTexts()
  return (
    <>
      <PageHeader title={texts.title} />
      <AlertsPart slug={slug} />
    </>
  )
}
