// Measures like the service (src/users/passwords/), which has the last word, because it may know more about the person.
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'
import { knownWords, withoutKnown } from '../../src/users/passwords/known-words.js'

/** Of four levels. Below three, the service refuses a password. */
export type Level = 1 | 2 | 3 | 4

/** The number of guesses at which each further level starts; the service requires 1e8. */
const STEPS = [1e6, 1e8, 1e11]
/** So many characters the service wants besides what is known. */
const MIN_CHARACTERS = 8
/** Measuring time grows faster than the length of the text. */
const MEASURED_CHARACTERS = 32
const LEET_SUBSTITUTIONS = 5

const zxcvbn = new ZxcvbnFactory({
  dictionary: {
    passwords: common['passwords-common'],
    words: english['commonWords-en'],
    firstNames: english['firstnames-en'],
  },
  graphs: adjacencyGraphs,
  translations,
  maxLength: MEASURED_CHARACTERS,
  l33tMaxSubstitutions: LEET_SUBSTITUTIONS,
})

/**
 * How hard a password is to guess for somebody who tries first what is `known` about its user and the main site's
 * host. None of it leaves the page.
 */
export function levelOf(password: string, host: string, known: readonly string[]): Level {
  const normalized = password.normalize('NFKC')
  const words = knownWords(host, known)
  if ([...withoutKnown(normalized, known, words)].length < MIN_CHARACTERS) return 1
  const { guesses } = zxcvbn.check([...normalized].slice(0, MEASURED_CHARACTERS).join(''), words)
  return (1 + STEPS.filter(step => guesses >= step).length) as Level
}
