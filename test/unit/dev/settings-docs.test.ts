import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from '@jest/globals'
import { ALL_SETTINGS, operatorProgram, readSettings, settingsFiles, withSection } from '../../sources.js'

const SECRETS = {
  STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
}

describe('npm run settings writes what the table says', () => {
  it.each([
    'docs/settings.md',
    'docs/commands.md',
    'config/development.env',
    'config/production.env.example',
    'deploy/helm/mainstay/values.schema.json',
  ])('into %s', async path => {
    const files = await settingsFiles()
    expect(await readFile(path, 'utf8')).toBe(files[path])
  })

  it('and nothing into a page that has no place for it', () => {
    const section = { path: 'docs/settings.md', title: 'settings: npm run settings' }
    expect(() => withSection(section, '# Settings', 'a table')).toThrow(
      'docs/settings.md has no <!-- settings',
    )
  })
})

test('docs/settings.md has every setting, and docs/commands.md every command with its options', async () => {
  const settings = await readFile('docs/settings.md', 'utf8')
  const rows = [...settings.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(ALL_SETTINGS.map(({ name }) => name))
  const { commands } = operatorProgram({
    environment: {},
    input: process.stdin,
    print: () => {},
    printError: () => {},
  })
  const page = await readFile('docs/commands.md', 'utf8')
  const sections = new Map(page.split(/^### `/m).map(section => [section.split(/[ `]/)[0], section]))
  expect(commands.length).toBeGreaterThan(30)
  for (const command of commands) {
    const section = sections.get(command.name()) ?? ''
    const shown = command.options.filter(({ flags }) => section.includes(`\`${flags}\``))
    expect([command.name(), section !== '', shown.length]).toEqual([
      command.name(),
      true,
      command.options.length,
    ])
  }
})

test('config/production.env.example needs nothing but secrets, prices and a mail server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-settings-'))
  try {
    await copyFile('config/production.env.example', join(folder, 'production.env'))
    const settings = readSettings(
      { ...SECRETS, STRIPE_PRICE_IDS: 'price_monthly', SMTP_URL: 'smtps://mail.test:465' },
      folder,
    )
    expect(settings).toMatchObject({ environment: 'production', mainOrigin: 'https://www.example.com' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

describe('the table of settings', () => {
  it('has each name once', () => {
    const names = ALL_SETTINGS.map(({ name }) => name)
    expect(names.length).toBeGreaterThan(50)
    expect(new Set(names).size).toBe(names.length)
  })

  const SUFFIXES = { seconds: '_SECONDS', milliseconds: '_MS', days: '_DAYS' } as const

  it('has units at the end of names, and one sentence about each setting', () => {
    const wrong = ALL_SETTINGS.filter(({ name, read: { bounds }, meaning }) => {
      const suffix = bounds?.unit ? SUFFIXES[bounds.unit] : ''
      const ends = /(_SECONDS|_MS|_MINUTES|_HOURS|_DAYS|_BYTES|)$/.exec(name)?.[0]
      return ends !== suffix || !/^[A-Z`][^|\n]+[^.]$/.test(meaning)
    })
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  const faultOf = (name: string, value: string) => {
    try {
      readSettings({ NODE_ENV: 'test', [name]: value })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('has every limit read at start', () => {
    const bounded = ALL_SETTINGS.filter(({ read: { bounds, choices } }) => bounds || choices)
    const unread = bounded.filter(({ name }) => !faultOf(name, 'nonsense').includes(`${name} must be`))
    expect(unread.map(({ name }) => name)).toEqual([])
  })

  it('security: has no secret whose value is shown in a fault', () => {
    const secrets = ALL_SETTINGS.filter(({ isSecret }) => isSecret)
    const shown = secrets.filter(({ name }) => {
      const fault = faultOf(name, 'not-to-be-shown')
      return !fault.includes(name) || fault.includes('not-to-be-shown')
    })
    expect([secrets.length > 3, shown.map(({ name }) => name)]).toEqual([true, []])
  })
})
