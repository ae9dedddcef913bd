import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from '@jest/globals'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import {
  faultsOf,
  readMessages,
  shorten,
  shortNames,
  withOwnMessages,
} from '../../../web/messages/messages.mjs'
import { type CompiledMessage, chooseLanguage, fillIn, i18n, t } from '../../../web/pieces/t.js'
import { ERROR_CODES, FIELD_FAULTS } from '../../sources.js'
import { readLanguage } from '../../support/web-language.js'

const FOLDER = 'web/messages/'
const files = readMessages(FOLDER)
/** What the operator console alone says. */
const ofConsole = readMessages(`${FOLDER}operator/`)
const wordsOf = (all: typeof files, of: string) => all.find(({ language }) => language === of)?.messages ?? {}
const english = wordsOf(files, 'en')

/** What the pages are written in, as one text. */
const sources = sourcesIn('web')

function sourcesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name))
    .map(name => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n')
}

/** What a button shows, by what it is called for those who cannot see what it belongs to. */
const SHOWN_BY_NAME: Readonly<Record<string, string>> = {
  'codes.copy': 'common.copy',
  'totp.copyKey': 'common.copy',
  'proofRecord.copyContent': 'common.copy',
  'proofRecord.copyName': 'common.copy',
  'proofRecord.copyUrl': 'common.copy',
  'proofRecord.copyValue': 'common.copy',
  'devices.forgetNamed': 'devices.forget',
  'invitations.resendNamed': 'invitations.resend',
  'invitations.withdrawNamed': 'invitations.withdraw',
  'invoice.pdfNamed': 'invoice.pdf',
  'invoice.viewNamed': 'invoice.view',
  'passkeys.removeNamed': 'common.remove',
  'passkeys.renameNamed': 'passkeys.rename',
  'session.endLabel': 'session.end',
  'totp.remove': 'common.remove',
  'console.mails.againLabel': 'console.mails.again',
  'console.passkeys.removeLabel': 'common.remove',
  'console.payments.againLabel': 'console.payments.again',
  'console.satellites.resumeLabel': 'console.satellites.resume',
  'console.satellites.suspendLabel': 'console.satellites.suspend',
  'console.sessions.endLabel': 'console.sessions.end',
}
/** A sentence that is shown itself. */
const NOT_NAMES = { 'common.copyByHand': true }

describe('the message files', () => {
  it('say the same in English and German', () => {
    for (const all of [files, ofConsole]) {
      expect(all.map(({ language }) => language).sort()).toEqual(['de', 'en'])
      expect(faultsOf(all)).toEqual([])
    }
  })

  it.each(['en', 'de'])(
    'name a button in %s by what it shows first, for people who speak its words to it (A1)',
    of => {
      const all = { ...wordsOf(files, of), ...wordsOf(ofConsole, of) }
      const named = Object.keys(all).filter(
        key => /(Named|Label|\.copy[A-Z]\w*)$/.test(key) && !(key in NOT_NAMES),
      )
      const shown = Object.keys(SHOWN_BY_NAME)
      expect(shown).toEqual(expect.arrayContaining(named))
      const wrong = Object.entries(SHOWN_BY_NAME).filter(
        ([name, visible]) => !all[name]?.toLowerCase().startsWith(String(all[visible]).toLowerCase()),
      )
      expect(wrong).toEqual([])
    },
  )

  it('are translated, but for what German says in the same words', () => {
    const sameIn = (all: typeof files) => {
      const [one, other] = [wordsOf(all, 'en'), wordsOf(all, 'de')]
      return Object.keys(one).filter(key => one[key] === other[key])
    }
    expect(sameIn(ofConsole)).toEqual([])
    const same = sameIn(files)
    expect(same.sort()).toEqual([
      ...['audit.sentence.did', 'field.name', 'field.nameOptional', 'invoice.pdf', 'invoice.status'],
      'member.person',
      ...['nav.navigation', 'passkeys.title', 'plan.price', 'satellite.state', 'session.app'],
      ...['subscription.state', 'team.title', 'theme.system'],
    ])
  })

  it('have a sentence for every refusal, and one for every fault of a field', () => {
    for (const language of ['en', 'de']) {
      const words = { ...wordsOf(ofConsole, language), ...wordsOf(files, language) }
      const refusals = Object.keys(ERROR_CODES).filter(code => !/\.$/.test(words[`error.${code}`] ?? ''))
      expect({ language, refusals }).toEqual({ language, refusals: [] })
    }
    for (const { language, messages } of files) {
      const faults = Object.keys(FIELD_FAULTS).filter(
        code => !/^\S.*[^.]$/.test(messages[`fieldFault.${code}`] ?? ''),
      )
      expect({ language, faults }).toEqual({ language, faults: [] })
    }
  })

  it('have no message that no page shows', () => {
    const own = wordsOf(ofConsole, 'en')
    const unused = [...Object.keys(english), ...Object.keys(own)].filter(key => !isUsed(key))
    expect(unused).toEqual([])
    expect(Object.keys(own).filter(key => key in english)).toEqual([])
  })

  it('of the console alone are in no other site', () => {
    const built = ['main', 'satellite'].flatMap(site =>
      readdirSync(`web/dist/${site}/assets`)
        .filter(name => name.endsWith('.js'))
        .map(name => readFileSync(`web/dist/${site}/assets/${name}`, 'utf8')),
    )
    expect(built.length).toBeGreaterThan(5)
    const said = ['Each search is recorded', 'Jede Suche wird protokolliert']
    for (const words of said) {
      expect(built.filter(text => text.includes(words))).toEqual([])
      const own = readdirSync('web/dist/operator/assets').filter(name => name.endsWith('.js'))
      const texts = own.map(name => readFileSync(`web/dist/operator/assets/${name}`, 'utf8'))
      expect(texts.filter(text => text.includes(words))).toHaveLength(1)
    }
  })

  it('a language in which the console says nothing is not one of the console', () => {
    const hebrew = { language: 'he', path: '', messages: english }
    expect(
      withOwnMessages([...files, hebrew], ofConsole)
        .map(({ language }) => language)
        .sort(),
    ).toEqual(['de', 'en'])
  })
})

/** By its name, or by the start of it: t(`error.${code}`). */
function isUsed(key: string): boolean {
  if (sources.includes(`'${key}'`) || sources.includes(`"${key}"`)) return true
  const starts = key.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.'))
  return starts.some(start => sources.includes(`\`${start}.\${`))
}

describe('regular expressions that run in browsers', () => {
  // A literal, or the call of RegExp with a text.
  const REFERS_BACK = [
    /\/(?:[^/\n\\]|\\.)*\\[1-9k](?:[^/\n\\]|\\.)*\/[a-z]*[uv]/,
    /RegExp\([^\n]*\\\\[1-9k][^\n]*['"][a-z]*[uv][a-z]*['"]\)/,
  ]
  const isUnsafe = (code: string) => REFERS_BACK.some(pattern => pattern.test(code))

  it('do not refer back with flag u or v, which never matches in WebKit (integration 1)', () => {
    expect(['/(a)\\1/u', '/(?<b>a)\\k<b>/sv', "RegExp('(a)\\\\1', 'su')"].map(isUnsafe)).toEqual([
      true,
      true,
      true,
    ])
    expect(['/(a)\\1/s', '/\\d/u', "RegExp('(a)\\\\1', 's')"].map(isUnsafe)).toEqual([false, false, false])
    for (const folder of ['web', 'packages']) {
      const unsafe = sourcesIn(folder).split('\n').filter(isUnsafe)
      expect({ folder, unsafe }).toEqual({ folder, unsafe: [] })
    }
  })
})

describe('what is wrong with message files', () => {
  const faults = (german: Record<string, string>) =>
    faultsOf([
      { language: 'en', path: '', messages: { bye: 'Bye', hello: 'Hello {name}' } },
      { language: 'de', path: '', messages: german },
    ])

  it.each([
    [{ hello: 'Hallo {name}' }, 'de.json lacks bye'],
    [{ bye: '', hello: 'Hallo {name}' }, 'de.json lacks bye'],
    [{ bye: 'Tschüs', hello: 'Hallo {name}', more: 'Mehr' }, 'de.json has more, which en.json has not'],
    [{ bye: 'Tschüs', hello: 'Hallo {Name}' }, 'de.json: hello takes {Name}, not {name}'],
    [{ bye: '<b>Tschüs</b>', hello: 'Hallo {name}' }, 'de.json: bye takes </b> <b>, not nothing'],
  ])('%j: %s', (german, fault) => expect(faults(german)).toEqual([fault]))
})

describe('the short names of the build', () => {
  const keys = Object.keys(english)
  const names = shortNames(keys, ['web/pieces/', 'web/main/'])

  it('are places in a list, for all but the messages whose names are put together', () => {
    const short = [...names.values()].filter(name => /^\d+$/.test(name))
    expect(new Set(names.values()).size).toBe(names.size)
    expect(short.length).toBeGreaterThan(keys.length / 2)
    expect(short).toEqual(short.map((_, index) => `${index}`))
    expect(short).toContain(names.get('login.title'))
    expect(names.get('error.NOT_FOUND')).toBe('error.NOT_FOUND')
    expect(names.get('permission.payments')).toBe('permission.payments')
    // What is put together has a start of its own, so that the other messages of the page have short names.
    for (const key of ['audit.title', 'invoice.title', 'plan.choose', 'satelliteBranding.title'])
      expect(names.get(key)).toMatch(/^\d+$/)
  })

  it('are only for messages that these pages ask for', () => {
    expect(names.has('callback.waiting')).toBe(false)
    const satellite = shortNames(keys, ['web/pieces/', 'web/satellite/'])
    expect(satellite.has('callback.waiting')).toBe(true)
    expect(satellite.has('signup.title')).toBe(false)
    expect(satellite.has('error.NOT_FOUND')).toBe(true)
  })

  it('take the place of whole names in quotation marks', () => {
    const short = names.get('login.title')
    expect(shorten("t('login.title')", names)).toBe(`t('${short}')`)
    expect(shorten('<T id="login.title" />', names)).toBe(`<T id='${short}' />`)
    expect(shorten("t('no.such.key'), t(`login.title`)", names)).toBe("t('no.such.key'), t(`login.title`)")
  })

  it('are for no name that is something else too, such as that of an action (P2)', () => {
    const all = [...keys, ...Object.keys(wordsOf(ofConsole, 'en'))]
    const ofOperators = shortNames(all, ['web/pieces/', 'web/operator/'])
    const filter = readFileSync('web/operator/pages/activity.tsx', 'utf8')
    const actions = /const ACTIONS = \[[^\]]+\][^;]+?\n\]/.exec(filter)?.[0] ?? ''
    expect(actions).toContain("'satellite.suspend'")
    expect(shorten(filter, ofOperators)).toContain(actions)
    const asked = "t('login.title'), <T id={isSent\n? 'login.title' : 'login.title'} />"
    const short = names.get('login.title')
    expect(shorten(asked, names)).toBe(asked.replaceAll('login.title', `${short}`))
    for (const data of [
      "['login.title']",
      "{ action: 'login.title' }",
      "t('no.such.key', { a: 'login.title' })",
    ])
      expect(shorten(data, names)).toBe(data)
  })
})

describe('the language of a page', () => {
  const AVAILABLE = ['de', 'en', 'pt-BR']
  it.each([
    [['de-AT', 'en'], 'de', 'de-AT'],
    [['fr', 'de'], 'de', 'de'],
    [['pt-BR'], 'pt-BR', 'pt-BR'],
    [['pt-PT'], 'en', 'en'],
    [['en-GB'], 'en', 'en-GB'],
    [[], 'en', 'en'],
    [['constructor'], 'en', 'en'],
  ])('for somebody who reads %j is %s, with dates as in %s', (wanted, language, locale) => {
    expect(chooseLanguage(wanted, AVAILABLE)).toEqual({ language, locale })
  })
})

describe('a message', () => {
  const compiled = (message: string) => compileMessage(message) as CompiledMessage
  afterEach(() => readLanguage('en'))

  it('is in the language that was loaded', () => {
    readLanguage('de')
    expect(i18n.locale).toBe('de')
    expect(t('login.title')).toBe('Anmelden')
    expect(t('retry.inMinutes', { minutes: 1 })).toBe('Bitte versuchen Sie es in einer Minute noch einmal.')
    expect(t('retry.inMinutes', { minutes: 7 })).toBe('Bitte versuchen Sie es in 7 Minuten noch einmal.')
  })

  it.each([
    ['Hello', {}, 'Hello'],
    ['{name}, it’s #1', { name: 'Rosa' }, 'Rosa, it’s #1'],
    ['{count, plural, =1 {you} one {# day} other {# days}}', { count: 1 }, 'you'],
    ['{count, plural, one {# day} other {# days}}', { count: 1 }, '1 day'],
    ['{count, plural, one {# day} other {# days}}', { count: 12_000 }, '12,000 days'],
    ['More than {people, number}', { people: 1_000 }, 'More than 1,000'],
    ['for {whom, select, self {them} other {{whom}}}', { whom: 'self' }, 'for them'],
    ['for {whom, select, self {them} other {{whom}}}', { whom: 'constructor' }, 'for constructor'],
    [
      '{a, plural, one {# of {b, plural, one {#} other {# in all}}} other {}}',
      { a: 1, b: 2 },
      '1 of 2 in all',
    ],
  ])('%s with %j is “%s”', (message, values, text) => {
    expect(fillIn(compiled(message), values as Record<string, string | number>, 'en')).toBe(text)
  })

  it('counts as the language does, and writes numbers as the country does', () => {
    const days = compiled('{days, plural, one {# dzień} few {# dni} other {# dnia}}')
    expect([1, 3, 1.5].map(count => fillIn(days, { days: count }, 'pl'))).toEqual([
      '1 dzień',
      '3 dni',
      '1,5 dnia',
    ])
    expect(fillIn(compiled('{sum, number}'), { sum: 12_000 }, 'de-DE')).toBe('12.000')
  })
})
