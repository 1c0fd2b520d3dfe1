import { useTexts } from "../i18n/Language.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { TextLink } from "../ui/TextLink.tsx"

/** What there is instead of a page or a project, and the way home. */
const Missing = ({ hint, title }: { readonly title: string; readonly hint: string }) => {
  const { error: texts } = useTexts()
  return (
    <>
      <PageHeader title={title} />
      <div className="grid gap-2 px-4">
        <p className="max-w-[72ch] text-soft">{hint}</p>
        <p>
          <TextLink to="/">{texts.toHome}</TextLink>
        </p>
      </div>
    </>
  )
}

export const NotFound = () => {
  const { error: texts } = useTexts()
  return <Missing title={texts.notFound} hint={texts.notFoundHint} />
}

export const NoProject = () => {
  const { error: texts } = useTexts()
  return <Missing title={texts.noProject} hint={texts.noProjectHint} />
}
