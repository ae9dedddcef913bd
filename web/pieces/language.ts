import { languages } from 'virtual:languages'
import { site } from './site.js'
import { chooseLanguage, i18n } from './t.js'

/** Draws the pages of a site into an element; the returned function draws them again. */
export type DrawOn = (place: HTMLElement) => () => void

/**
 * Shows a site in the reader's language. The code that draws it is loaded meanwhile: it is the larger part,
 * and nothing can be drawn before both are there.
 */
export function startPage(load: () => Promise<{ readonly drawOn: DrawOn }>): void {
  const place = document.getElementById('app') as HTMLElement
  const drawing = load().then(({ drawOn }) => drawOn(place))
  drawInLanguage(drawing).catch(() => {
    // Without the messages, English is all there is.
    const main = document.createElement('main')
    main.className = 'small'
    main.textContent = 'This page could not be loaded. Please load it again.'
    place.replaceChildren(main)
  })
}

const KEY = 'mainstay.language'
const AVAILABLE = Object.keys(languages)

let redraw = () => {}
let hasLater = false

/**
 * Loads the messages in this person's language, then draws the page, and again whenever they choose another
 * language.
 */
async function drawInLanguage(drawing: Promise<() => void>): Promise<void> {
  const chosen = storedLanguage()
  const wanted = chosen ? [chosen] : [...navigator.languages, site.language]
  const [draw] = await Promise.all([drawing, show(wanted)])
  redraw = draw
  draw()
}

/** The available languages, each with its own name for itself: “Deutsch”. */
export function languageNames(): readonly (readonly [language: string, name: string])[] {
  return Object.entries(languages).map(([language, { name }]) => [language, name])
}

/**
 * Switches the page to another language, for now and for the future in this browser. Rejects when it cannot
 * be loaded.
 */
export async function setLanguage(language: string): Promise<void> {
  await show([language])
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // A browser without storage forgets it when the page is closed.
  }
}

/** Loads what is not needed at first: messages about field errors that the service has found. */
export async function loadLater(): Promise<void> {
  const { locale, messages } = i18n
  Object.assign(messages, await languages[locale]?.loadLater())
  hasLater = true
}

async function show(wanted: readonly string[]): Promise<void> {
  const { language, locale } = chooseLanguage(wanted, AVAILABLE)
  const { direction, load, loadLater } = languages[language] as (typeof languages)[string]
  const regional = navigator.languages.find(one => one.split('-')[0] === language) ?? locale
  const [messages, later] = await Promise.all([load(), hasLater && loadLater()])
  Object.assign(i18n, { locale: language, regional, messages: Object.assign(messages, later) })
  document.documentElement.lang = language
  document.documentElement.dir = direction
  redraw()
}

function storedLanguage(): string | null {
  try {
    const stored = localStorage.getItem(KEY)
    return stored && AVAILABLE.includes(stored) ? stored : null
  } catch {
    return null
  }
}
