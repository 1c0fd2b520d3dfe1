import { useTexts } from "../i18n/Language.tsx"
import { useProjectPages } from "../shell/Navigation.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { goLetters, goStroke, type KeyName, type KeyPlace, keys } from "./keys.ts"

const isApple = /Mac|iP(hone|ad)/.test(navigator.platform)

const Stroke = ({ stroke }: { readonly stroke: string }) => (
  <kbd className="rounded-small border border-line-strong bg-canvas px-2 py-0.5 font-mono text-small">
    {stroke === "Mod+k" ? (isApple ? "⌘K" : "Ctrl-K") : stroke}
  </kbd>
)

const Row = ({ does, strokes }: { readonly strokes: ReadonlyArray<string>; readonly does: string }) => (
  <li className="flex items-center gap-3 py-1">
    <span>{does}</span>
    <span className="ml-auto flex shrink-0 gap-2">{strokes.map((one) => <Stroke key={one} stroke={one} />)}</span>
  </li>
)

const places: ReadonlyArray<KeyPlace> = ["everywhere", "tasks", "task"]
const names = Object.keys(keys) as ReadonlyArray<KeyName> // its keys are the names

/** Every key that works here; those of pages as far as the person may see the page. */
export const KeyHelp = ({ onClose, slug }: { readonly slug: string | undefined; readonly onClose: () => void }) => {
  const { close: closeText, keys: texts, nav } = useTexts()
  const pages = useProjectPages(slug)
  return (
    <Dialog title={texts.title} size="large" onClose={onClose}>
      {(close) => (
        <>
          <div className="mt-4 grid gap-6 md:grid-cols-2">
            <div className="grid content-start gap-4">
              {places.map((place) => (
                <section key={place}>
                  <h3 className="font-medium text-soft">{texts.places[place]}</h3>
                  <ul>
                    {names.filter((name) => keys[name].place === place).map((name) => (
                      <Row key={name} does={texts.does[name]} strokes={keys[name].strokes} />
                    ))}
                  </ul>
                </section>
              ))}
            </div>
            {pages.length > 0 && (
              <section>
                <h3 className="font-medium text-soft">{texts.go}</h3>
                <ul>
                  {pages.map(({ name }) => <Row key={name} does={nav[name]} strokes={[goStroke, goLetters[name]]} />)}
                </ul>
              </section>
            )}
          </div>
          <div className="mt-4 flex justify-end">
            <Button data-autofocus onClick={close}>{closeText}</Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
