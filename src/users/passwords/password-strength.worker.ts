/**
 * Measures passwords on a separate thread, because zxcvbn blocks for milliseconds. This file is a program: it
 * imports none of our code, so it runs from the sources as well as from the build.
 */
import { parentPort } from 'node:worker_threads'

/**
 * zxcvbn's running time grows faster than the text. For a longer password the stronger end is measured; the
 * whole is at least as strong.
 */
const MEASURED_CHARACTERS = 32
/** How many substitutions such as "4" for "a" it may undo; 5 instead of 100 saves most of the time. */
const LEET_SUBSTITUTIONS = 5

interface Question {
  readonly id: number
  readonly password: string
  readonly contextWords: readonly string[]
}

async function load() {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { dictionary: common, adjacencyGraphs } = await import('@zxcvbn-ts/language-common')
  const { dictionary: english, translations } = await import('@zxcvbn-ts/language-en')
  const passwords = common['passwords-common']
  const commonest = new Set(passwords.map(password => password.toLowerCase()))
  const zxcvbn = new ZxcvbnFactory({
    dictionary: { passwords, words: english['commonWords-en'], firstNames: english['firstnames-en'] },
    graphs: adjacencyGraphs,
    // Warnings as names; the caller has the texts.
    translations: { ...translations, warnings: namesOf(translations.warnings) },
    maxLength: 2 * MEASURED_CHARACTERS,
    l33tMaxSubstitutions: LEET_SUBSTITUTIONS,
  })
  const check = (characters: string[], contextWords: readonly string[]) => {
    const { guesses, feedback } = zxcvbn.check(characters.join(''), [...contextWords])
    return { guesses, warning: feedback.warning }
  }
  return ({ password, contextWords }: Question) => {
    if (commonest.has(password.toLowerCase())) return { isCommon: true, guesses: 0, warning: null }
    const characters = [...password]
    const start = check(characters.slice(0, MEASURED_CHARACTERS), contextWords)
    const end =
      characters.length > MEASURED_CHARACTERS
        ? check(characters.slice(-MEASURED_CHARACTERS), contextWords)
        : start
    return { isCommon: false, ...(end.guesses > start.guesses ? end : start) }
  }
}

function namesOf<Names extends object>(texts: Names): { [Name in keyof Names]: string } {
  return Object.fromEntries(Object.keys(texts).map(name => [name, name])) as { [Name in keyof Names]: string }
}

// The dictionaries take time and memory, which is why the thread starts only with the first password.
const loading = load()

parentPort?.on('message', async (question: Question) => {
  const { id } = question
  try {
    parentPort?.postMessage({ id, strength: (await loading)(question) })
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) })
  }
})
