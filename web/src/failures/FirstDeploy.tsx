import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { type Deploy, findDeployBefore } from "./deployBefore.ts"

/** How long after which of the deploys a group failed first, if one was within a day before. */
export const FirstDeploy = ({ className, deploys, firstSeen }: {
  readonly firstSeen: string
  readonly deploys: ReadonlyArray<Deploy>
  readonly className: string
}) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  const deploy = findDeployBefore(deploys, firstSeen)
  if (deploy === undefined) return null
  const after = Math.max(1000, Date.parse(firstSeen) - Date.parse(deploy.at))
  return (
    <span className={`block text-soft ${className}`} title={deploy.note ?? undefined}>
      {texts.afterDeploy(format.duration(after), deploy.version)}
    </span>
  )
}
