import { parse } from '@formatjs/icu-messageformat-parser'
import { describe, expect, it, test } from '@jest/globals'
import {
  de,
  en,
  htmlOf,
  LANGUAGES,
  languageWanted,
  MailLanguage,
  type MailName,
  type Phrase,
  type Translated,
  textOf,
} from '../../sources.js'

const MAILS = Object.keys(en.mails) as MailName[]
const PHRASES = Object.keys(en.phrases) as Phrase[]
const SENDER = {
  ...{ name: 'Acme', host: 'www.acme.test', logoUrl: null, accent: '#3b4fd8' },
  supportUrl: 'mailto:help@acme.test',
}

/** The values that messages take, such as `site`, each once. */
function valuesOf(...messages: readonly string[]): string[] {
  const found = JSON.stringify(messages.map(message => parse(message, { ignoreTag: true }))).matchAll(
    /"type":[1-6],"value":"(\w+)"/g,
  )
  return [...new Set([...found].map(([, name = '']) => name))].sort()
}

function textsOf(language: Translated, name: MailName): string[] {
  const { subject, paragraphs, action = '', footnote = '' } = language.mails[name]
  return [subject, ...paragraphs, action, footnote]
}

describe.each([['de', de]] as const)('%s', (_, language) => {
  it('has all parts of each English mail and phrase, with the same values', () => {
    const partsIn = (translated: Translated) => ({
      mails: MAILS.map(name => {
        const { paragraphs, action, footnote } = translated.mails[name]
        const parts = [paragraphs.length, action !== undefined, footnote !== undefined]
        return [name, parts, valuesOf(...textsOf(translated, name))]
      }),
      phrases: PHRASES.map(name => [name, valuesOf(translated.phrases[name])]),
    })
    expect(partsIn(language)).toEqual(partsIn(en))
  })

  it('says nothing in English, besides names', () => {
    const same = [
      ...MAILS.flatMap(name => textsOf(language, name).filter(text => textsOf(en, name).includes(text))),
      ...PHRASES.map(name => language.phrases[name]).filter(text =>
        PHRASES.some(key => en.phrases[key] === text),
      ),
    ]
    expect([...new Set(same)].sort()).toEqual(
      ['', '{advice}', '{circumstances}', '{claim}', '{consequence}', '{deletion}'].concat([
        ...['{introduction}', '{opening}', '{otherwise}', '{payments}', '{place}', '{removal}', '{subject}'],
        '{whom}',
        '{why}',
      ]),
    )
  })
})

describe.each(LANGUAGES)('mails in %s', name => {
  const words = MailLanguage.of(name)

  it('leave nothing open', () => {
    const faults = MAILS.flatMap(mailName => {
      const keys = valuesOf(...textsOf(en, mailName))
      const values = Object.fromEntries(keys.map(key => [key, `<${key}>`]))
      const mail = words.mail(mailName, { ...values, site: 'Acme', url: 'https://www.acme.test/' })
      const text = textOf(mail, SENDER)
      const missing = keys.filter(key => key !== 'site' && !`${mail.subject}\n${text}`.includes(`<${key}>`))
      const isOpen = /[{}]/.test(text) || !htmlOf(mail, SENDER).includes(`<html lang="${name}">`)
      return missing.length > 0 || isOpen ? [{ mailName, missing, isOpen }] : []
    })
    expect(faults).toEqual([])
  })
})

test('numbers, days and devices as the language has them', () => {
  const [english, german] = [MailLanguage.of('en'), MailLanguage.of('de')]
  const left = (count: number) => german.phrase('factors.codesLeft', { left: count }).split('.')[0]
  expect([0, 1, 2].map(left)).toEqual(['Es war der letzte', 'Sie haben noch einen', 'Sie haben noch 2'])
  const time = new Date('2026-11-24T23:05:00+01:00')
  expect([english, german].map(words => `${words.day(time)}, ${words.time(time)}`)).toEqual([
    '24 November 2026, 22:05',
    '24. November 2026, 22:05',
  ])
  expect(['Chrome on Windows', 'curl', 'Unknown device'].map(device => german.device(device))).toEqual([
    'Chrome auf Windows',
    'curl',
    'unbekanntes Gerät',
  ])
  expect(german.list(['a.test', 'b.test', 'c.test'])).toBe('a.test, b.test und c.test')
})

test('what strangers write is put in as it is, whatever it looks like', () => {
  const team = "{site} '{inviter}' {n, plural, other {#}} <b>"
  const text = MailLanguage.of('de').phrase('invitation.toNamedTeam', {
    inviter: 'a@b.test',
    team,
    site: 'Acme',
  })
  expect(text).toBe(`a@b.test hat Sie in das Team „${team}“ bei Acme eingeladen.`)
})

test.each([
  [undefined, null],
  ['', null],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr-CH, fr;q=0.9, de;q=0.7, en;q=0.5', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['fr', null],
  ['de;q=0, en', 'en'],
  ['*', 'en'],
  ['__proto__, constructor', null],
  ['de;q=x', null],
  [`${'a,'.repeat(200)}de`, null],
])('%j asks for %j', (header, language) => {
  expect(languageWanted(header)).toBe(language)
})
