import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

/** The dashboard's components, read as source: what they show, without a browser. */

const folder = "web/src"
export const components = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".tsx"))

export const parseComponent = (name: string): ts.SourceFile =>
  ts.createSourceFile(name, readFileSync(join(folder, name), "utf8"), ts.ScriptTarget.ES2023, true)

/** Where a text is in the catalogue; `*` is any name. */
type Path = ReadonlyArray<string>

/** What the names of a component mean: of `const { task: texts } = useTexts()`, `texts` is at `task`. */
const pathsOfNames = (source: ts.Node): ReadonlyMap<string, ReadonlyArray<Path>> => {
  const paths = new Map<string, ReadonlyArray<Path>>()
  const add = (name: ts.BindingName, path: Path) => {
    if (ts.isIdentifier(name)) paths.set(name.text, [...paths.get(name.text) ?? [], path])
    else if (ts.isObjectBindingPattern(name)) {
      for (const part of name.elements) add(part.name, [...path, (part.propertyName ?? part.name).getText()])
    }
  }
  const visit = (node: ts.Node) => {
    if (ts.isVariableDeclaration(node) && node.initializer?.getText() === "useTexts()") add(node.name, [])
    ts.forEachChild(node, visit)
  }
  visit(source)
  return paths
}

/** A text that an expression may have, and the condition under which it has it. */
interface Choice {
  readonly path: Path
  readonly condition?: string
  readonly holds?: boolean
}

const choicesOf = (
  node: ts.Node | undefined,
  names: ReadonlyMap<string, ReadonlyArray<Path>>
): ReadonlyArray<Choice> => {
  const within = (inner: ts.Node, name: string) =>
    choicesOf(inner, names).map((choice) => ({ ...choice, path: [...choice.path, name] }))
  if (node === undefined) return []
  if (ts.isIdentifier(node)) return (names.get(node.text) ?? []).map((path) => ({ path }))
  if (ts.isPropertyAccessExpression(node)) return within(node.expression, node.name.text)
  if (ts.isElementAccessExpression(node)) return within(node.expression, "*")
  if (!ts.isConditionalExpression(node)) return []
  const condition = node.condition.getText()
  return [
    ...choicesOf(node.whenTrue, names).map((choice) => ({ ...choice, condition, holds: true })),
    ...choicesOf(node.whenFalse, names).map((choice) => ({ ...choice, condition, holds: false }))
  ]
}

const textsAt = (part: unknown, [name, ...rest]: Path): ReadonlyArray<string> => {
  if (typeof part === "string") return [part]
  if (typeof part !== "object" || part === null || name === undefined) return []
  return Object.entries(part).filter(([key]) => name === "*" || key === name).flatMap(([, inner]) =>
    textsAt(inner, rest)
  )
}

export interface DialogButtons {
  /** File and line. */
  readonly place: string
  /** What each button may say; nothing where a caller gives its text. */
  readonly buttons: ReadonlyArray<ReadonlyArray<Choice>>
}

/** Pairs of texts that two buttons of the dialog have at the same time. */
export const readPairs = ({ buttons }: DialogButtons, catalogue: object): ReadonlyArray<readonly [string, string]> =>
  buttons.flatMap((button, index) =>
    buttons.slice(index + 1).flatMap((other) =>
      button.flatMap((one) =>
        other.filter((two) => one.condition !== two.condition || one.holds === two.holds).flatMap((two) =>
          textsAt(catalogue, one.path).flatMap((first) =>
            textsAt(catalogue, two.path).map((second) => [first, second] as const)
          )
        )
      )
    )
  )

const expressionOf = (element: ts.JsxOpeningLikeElement, attribute: string): ts.Expression | undefined => {
  const found = element.attributes.properties.filter(ts.isJsxAttribute).find(({ name }) => name.getText() === attribute)
  return found?.initializer !== undefined && ts.isJsxExpression(found.initializer)
    ? found.initializer.expression
    : undefined
}

/** The dialogs of a component with their buttons. */
const readDialogs = (name: string): ReadonlyArray<DialogButtons> => {
  const source = parseComponent(name)
  const names = pathsOfNames(source)
  const buttonsWithin = (node: ts.Node): ReadonlyArray<ReadonlyArray<Choice>> =>
    ts.isJsxElement(node) && node.openingElement.tagName.getText() === "Button"
      ? [node.children.filter(ts.isJsxExpression).flatMap(({ expression }) => choicesOf(expression, names))]
      : node.getChildren().flatMap(buttonsWithin)
  const found: Array<DialogButtons> = []
  const visit = (node: ts.Node) => {
    const element = ts.isJsxElement(node) ? node.openingElement : ts.isJsxSelfClosingElement(node) ? node : undefined
    const tag = element?.tagName.getText()
    const place = `${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (tag === "Dialog") found.push({ place, buttons: buttonsWithin(node) })
    else if (tag === "FormDialog" && element !== undefined) {
      const dismiss = expressionOf(element, "dismiss")
      const submit = choicesOf(expressionOf(element, "submit"), names)
      if (submit.length === 0) throw new Error(`${place}: the text of the button is not read`)
      found.push({
        place,
        buttons: [submit, dismiss === undefined ? [{ path: ["cancel"] }] : choicesOf(dismiss, names)]
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

export const dialogs = components.flatMap(readDialogs)
