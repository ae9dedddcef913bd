/** What guessing a password would take, as zxcvbn reckons it. */
export interface Strength {
  readonly guesses: number
  /** What makes it weak, in a sentence for people; null when there is nothing to say. */
  readonly warning: string | null
}

export interface StrengthMeter {
  /** Whether it is one of the 49,000 commonest passwords, in whatever case. */
  isCommon(password: string): boolean
  /** Of a password among people who would try `contextWords` first. */
  measure(password: string, contextWords: readonly string[]): Strength
}

/**
 * zxcvbn's time grows faster than the text: 4 ms for 32 characters, most of a second for 100 with its own settings. Of a longer password the
 * stronger end counts; the whole is at least as strong.
 */
const MEASURED_CHARACTERS = 32
/** How often it may undo "4" for "a" and the like; 5 instead of 100 saves nine tenths of the time. */
const LEET_SUBSTITUTIONS = 5

let loading: Promise<StrengthMeter> | undefined

/**
 * The meter with its dictionaries: passwords, English words, first names. They take 50 MB and a tenth of a second, so they
 * are loaded when first needed, not at start.
 */
export function strengthMeter(): Promise<StrengthMeter> {
  loading ??= load()
  return loading
}

async function load(): Promise<StrengthMeter> {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { dictionary: common, adjacencyGraphs } = await import('@zxcvbn-ts/language-common')
  const { dictionary: english, translations } = await import('@zxcvbn-ts/language-en')
  const passwords = common['passwords-common']
  const commonest = new Set(passwords.map(password => password.toLowerCase()))
  const zxcvbn = new ZxcvbnFactory({
    dictionary: { passwords, words: english['commonWords-en'], firstNames: english['firstnames-en'] },
    graphs: adjacencyGraphs,
    translations,
    maxLength: 2 * MEASURED_CHARACTERS,
    l33tMaxSubstitutions: LEET_SUBSTITUTIONS,
  })
  const check = (characters: string[], contextWords: readonly string[]): Strength => {
    const { guesses, feedback } = zxcvbn.check(characters.join(''), [...contextWords])
    return { guesses, warning: feedback.warning }
  }
  return {
    isCommon: password => commonest.has(password.toLowerCase()),
    measure(password, contextWords) {
      const characters = [...password]
      const start = check(characters.slice(0, MEASURED_CHARACTERS), contextWords)
      if (characters.length <= MEASURED_CHARACTERS) return start
      const end = check(characters.slice(-MEASURED_CHARACTERS), contextWords)
      return end.guesses > start.guesses ? end : start
    },
  }
}
