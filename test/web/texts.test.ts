import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { commandActions } from "../../src/domain/commands/Command.ts"
import { AttentionKind } from "../../src/domain/operations/Home.ts"
import { de } from "../../web/src/i18n/de.ts"
import { en } from "../../web/src/i18n/en.ts"
import { es } from "../../web/src/i18n/es.ts"
import { fr } from "../../web/src/i18n/fr.ts"
import { ja } from "../../web/src/i18n/ja.ts"
import { components, dialogs, parseComponent, readPairs } from "./dialogs.ts"

const readableAttributes = new Set(["aria-label", "alt", "label", "placeholder", "title"])

/** What a component shows that does not come from the catalogue. */
const ownTexts = (name: string) => {
  const found: Array<string> = []
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) found.push(node.text.trim())
    if (
      ts.isJsxAttribute(node) && readableAttributes.has(node.name.getText()) && node.initializer !== undefined &&
      ts.isStringLiteral(node.initializer)
    ) found.push(node.initializer.text)
    ts.forEachChild(node, visit)
  }
  visit(parseComponent(name))
  return found
}

/** What stands for a parameter: `⟨1⟩` for a name, `⟨n1⟩` for a count of `value` things. */
const markOf = (index: number, value: number) => ({ value, text: `⟨n${index}⟩`, toString: () => `⟨${index}⟩` })

/** Every text with its path; functions are called with a mark in the place of each parameter. */
const texts = (value: unknown, path = "", count = 5): ReadonlyArray<readonly [string, string]> =>
  typeof value === "string"
    ? [[path, value]]
    : typeof value === "function"
    ? [[path, String(value(markOf(1, count), markOf(2, count), markOf(3, count)))]]
    : Object.entries(value as object).flatMap(([key, inner]) => texts(inner, `${path}.${key}`, count))

/** Every text of a language, those with counts in both forms. */
const allTexts = (language: unknown) => [...texts(language), ...texts(language, "", 1)]

const found = (language: unknown, pattern: RegExp, isExempt: (path: string) => boolean = () => false) =>
  allTexts(language).filter(([path, text]) => pattern.test(text) && !isExempt(path))

/** Whether one contains the other, as "Cancel" is in "Cancel the retry": the two buttons seem to do the same. */
const soundAlike = (one: string, other: string) => {
  const [short = "", long = ""] = [one.toLowerCase(), other.toLowerCase()].sort((a, b) => a.length - b.length)
  return long.includes(short)
}

const marks = (text: string) => [...text.matchAll(/⟨n?\d⟩/g)].map(([mark]) => mark).sort()

describe("the texts of the dashboard", () => {
  it("name every action of commands", () => {
    assert.sameMembers(Object.keys(en.commands.actions), [...commandActions])
  })

  it("have words for everything that needs attention", () => {
    assert.sameMembers(Object.keys(en.attention.kinds), [...AttentionKind.literals])
  })

  it("are all in the catalogue, but for the names of programs, and the one that it is missing", () => {
    assert.deepStrictEqual(components.flatMap((name) => ownTexts(name).map((text) => `${name}: ${text}`)), [
      "i18n/Language.tsx: The texts of this page could not be loaded. Reload the page.",
      "schedules/ServiceScheduler.tsx: svc-scheduler",
      "tasks/TaskPage.tsx: curl",
      "tasks/TaskPage.tsx: svc"
    ])
  })

  it.each(Object.entries({ en, de, es, fr, ja }))("tell the buttons of each question apart in %s", (_, language) => {
    assert.isAbove(dialogs.length, 60)
    const alike = dialogs.flatMap((dialog) =>
      readPairs(dialog, language).filter(([one, other]) => soundAlike(one, other))
        .map((pair) => `${dialog.place}: ${pair.join(", ")}`)
    )
    assert.deepStrictEqual(alike, [])
  })

  it.each(Object.entries({ de, es, fr, ja }))(
    "have the same parts and parameters in %s, and no empty one",
    (_, language) => {
      const translated = texts(language)
      const english = texts(en)
      assert.deepStrictEqual(translated.map(([path]) => path), english.map(([path]) => path))
      assert.deepStrictEqual(
        translated.map(([path, text]) => [path, marks(text)]),
        english.map(([path, text]) => [path, marks(text)])
      )
      for (const [path, text] of translated) assert.notStrictEqual(text.trim(), "", path)
      const same = translated.filter(([, text], index) => text === english[index]?.[1])
      assert.isBelow(same.length, english.length / 4, "it is translated")
    }
  )

  it.each(Object.entries({ en, de, es, fr, ja }))(
    "call the brain a server in %s, and count in sentences",
    (_, language) => {
      assert.deepStrictEqual(found(language, /brain|ブレイン/i), [])
      assert.deepStrictEqual(found(language, /[:：]\s?⟨n\d⟩\.?$/), [])
    }
  )

  it.each(Object.entries({ en, de, es, fr, ja }))(
    "name a setting of the server in %s only where its administrator reads",
    (_, language) => {
      assert.deepStrictEqual(found(language, /SVC_/, (path) => /^\.(system|agents)\./.test(path)), [])
    }
  )

  it("say user or member, not person, but for the second person of an approval", () => {
    assert.deepStrictEqual(found(en, /(?<!second )\bperson\b|somebody|nobody|no one|whoever/i), [])
  })

  it("have one German word for a task, and schedules that are triggered", () => {
    assert.deepStrictEqual(found(de, /Aufgabe|feuer[nt]|Fakten|Genehmigung/), [])
  })

  it("have a phrase of several sections once, in common", () => {
    const inEach = [en, de, es, fr, ja].map((language) => texts(language))
    const sectionsOf = new Map<string, Set<string>>()
    for (const [index, [path]] of inEach[0]?.entries() ?? []) {
      const phrase = inEach.map((language) => language[index]?.[1] ?? "")
      if (new Set(phrase).size === 1) continue // a name, such as svc
      const key = phrase.join(" / ")
      sectionsOf.set(key, (sectionsOf.get(key) ?? new Set()).add(path.split(".", 2)[1] ?? ""))
    }
    // another form of a word in common, such as of another gender, may be written twice
    const words = new Set(texts(en.common).map(([, text]) => text))
    const repeated = [...sectionsOf].filter(([key, sections]) =>
      sections.size > 1 && !words.has(key.split(" / ", 1)[0] ?? "")
    )
    assert.deepStrictEqual(repeated.map(([key, sections]) => `${[...sections].join(", ")}: ${key}`), [])
  })

  it("have a no-break space before French ? : ; ! % and inside « »", () => {
    assert.deepStrictEqual(found(fr, /\S [?:;!»%]|«[^\u00a0]/), [])
  })

  it("have full-width Japanese question marks, colons and brackets, and no space beside a number or name", () => {
    const japanese = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー。（）「」：？]"
    assert.deepStrictEqual(
      found(ja, new RegExp(`${japanese}[?:(]|${japanese} [\\w⟨(]|[\\w⟩%)] ${japanese}`, "u")),
      []
    )
  })
})
