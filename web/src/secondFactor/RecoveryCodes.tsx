import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { Icon } from "../ui/Icon.tsx"
import { saveText } from "../ui/saveText.ts"

/** Recovery codes, to copy and to save. */
export const RecoveryCodes = ({ codes }: { readonly codes: ReadonlyArray<string> }) => {
  const { secondFactor: texts } = useTexts()
  const text = codes.join("\n")
  return (
    <div className="grid gap-3">
      <p>{texts.codesHint}</p>
      <ul
        aria-label={texts.codes}
        className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] gap-x-4 gap-y-1 rounded-base border border-line bg-canvas px-3 py-2 font-mono select-text"
      >
        {codes.map((code) => <li key={code}>{code}</li>)}
      </ul>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => saveText("svc-recovery-codes.txt", `${text}\n`)}>
          <Icon name="download" />
          {texts.download}
        </Button>
        <CopyButton text={text} label={texts.codes}>{texts.copyAll}</CopyButton>
      </div>
    </div>
  )
}
