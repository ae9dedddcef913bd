// Measures like the service (src/users/passwords/), which has the last word, because it knows more words
// about the person.
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'

/** Of four levels. Below three, the service refuses a password. */
export type Level = 1 | 2 | 3 | 4

/** The number of guesses at which each further level starts; the service requires 1e8. */
const STEPS = [1e6, 1e8, 1e11]
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

/** How hard a password is to guess for somebody who tries `words` first. None of it leaves the page. */
export function levelOf(password: string, words: readonly string[]): Level {
  const { guesses } = zxcvbn.check([...password].slice(0, MEASURED_CHARACTERS).join(''), [...words])
  return (1 + STEPS.filter(step => guesses >= step).length) as Level
}
