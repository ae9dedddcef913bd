import type { Argument, Command, Option } from 'commander'
import { operatorProgram } from '../../src/cli/run.js'
import type { GeneratedSection } from '../generated-section.js'

export const COMMANDS: GeneratedSection = { path: 'docs/commands.md', title: 'commands: npm run settings' }

/** In the order of the page; `of` is what the names begin with, `more` what else to read, as links from docs/. */
const GROUPS: readonly {
  readonly title: string
  readonly of: readonly string[]
  readonly more?: string
}[] = [
  { title: 'Examine the installation', of: ['doctor'], more: '[doctor](operations/doctor.md)' },
  {
    title: 'Accounts and users',
    of: ['account', 'user', 'session'],
    more: '[revoking access by hand](operations/protection.md#revoking-access-by-hand)',
  },
  {
    title: 'Second factors',
    of: ['factors'],
    more: '[second factors](operations/protection.md#second-factors)',
  },
  { title: 'Satellites', of: ['satellite'], more: '[satellites](operations/satellites.md)' },
  {
    title: 'Import users',
    of: ['users'],
    more: '[migrating users](moving.md), [importing users](operations/importing-users.md)',
  },
  { title: 'Billing', of: ['billing'], more: '[payments](operations/payments.md#payments)' },
  { title: 'Mails', of: ['mail'], more: '[failed mails](operations/mail.md#failed-mails)' },
  {
    title: 'Keys',
    of: ['keys', 'secrets'],
    more:
      '[rotating keys](operations/keys.md#rotating-keys), [keys of stored secrets](operations/keys.md#keys-of-stored-secrets), ' +
      '[a signing key leaked](operations/keys.md#a-signing-key-leaked)',
  },
  { title: 'Audit log', of: ['audit'], more: '[the audit log](operations/audit-log.md)' },
  {
    title: 'Operators',
    of: ['operator'],
    more: '[the operator console](operations/console.md)',
  },
]

/** Every command of the operators, in Markdown for a page of docs/. Throws when one belongs to no group. */
export function commandsReference(): string {
  const { commands } = operatorProgram({
    environment: {},
    input: process.stdin,
    print: console.log,
    printError: console.error,
  })
  const groupOf = (command: Command) =>
    GROUPS.find(({ of }) => of.includes(command.name().split(':')[0] ?? ''))
  const homeless = commands.filter(command => !groupOf(command))
  if (homeless.length > 0)
    throw new Error(`No group in commands-reference.ts has ${homeless.map(command => command.name())}`)
  return GROUPS.map(group => {
    const own = commands.filter(command => groupOf(command) === group)
    return [`## ${group.title}`, ...(group.more ? [`See ${group.more}.`] : []), ...own.map(reference)].join(
      '\n\n',
    )
  }).join('\n\n')
}

function reference(command: Command): string {
  const explained = [
    ...command.registeredArguments.map(argument => [argument.name(), explanation(argument)]),
    ...command.options.map(option => [option.flags, explanation(option, option.mandatory)]),
  ].filter(([, text]) => text !== '')
  return [
    `### \`${synopsis(command)}\``,
    `${inMarkdown(capitalized(command.description()))}.`,
    ...(explained.length > 0 ? [explained.map(([name, text]) => `- \`${name}\`: ${text}`).join('\n')] : []),
  ].join('\n\n')
}

/** With what it needs; options that can be left out are in the list below it. */
function synopsis(command: Command): string {
  const named = command.registeredArguments.map(argument => {
    const name = `${argument.name()}${argument.variadic ? '…' : ''}`
    return argument.required ? `<${name}>` : `[${name}]`
  })
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  return [command.name(), ...named, ...required].join(' ')
}

function explanation({ description, argChoices, defaultValue }: Argument | Option, isNeeded = false): string {
  const choices = argChoices?.map(choice => `\`${choice}\``).join(', ')
  if (!description) return choices ?? ''
  const hasDefault = typeof defaultValue === 'string'
  const notes = [
    ...(isNeeded ? ['required'] : []),
    ...(choices ? [choices] : []),
    ...(hasDefault ? [`default: \`${defaultValue}\``] : []),
  ]
  return `${inMarkdown(description)}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}

/** Names of pages in docs/ as links; no text has other Markdown, but angle brackets would be read as HTML. */
function inMarkdown(text: string): string {
  return text
    .replaceAll(/docs\/([\w-]+\.md)/g, (_, page) => `[${page.replace('.md', '')}](${page})`)
    .replaceAll(/<[\w-]+>/g, placeholder => `\`${placeholder}\``)
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
