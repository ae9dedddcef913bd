import { html } from '../src/mail/html.js'
import { MailLanguage } from '../src/mail/language.js'
import { htmlOf, type MailSender } from '../src/mail/layout.js'
import type { Mail } from '../src/mail/mail.js'
import { en, type MailName, type Phrase } from '../src/mail/messages/en.js'
import { LANGUAGES } from '../src/platform/config/languages.js'
import { choiceOf, mailFrame, THEME_CHOICE } from './mail-outbox.js'
import { type DevPages, filterField } from './pages.js'

/** The address of the gallery. */
export const GALLERY = '/dev/mails/gallery'

/** Every mail that the service can send, in every language, from its own texts; none of them is ever sent. */
export function serveMailGallery(pages: DevPages, sender: MailSender): void {
  pages.serve(GALLERY, () => ({
    title: 'Kinds of mail',
    lead: 'Every mail that can be sent, with made-up values. Changes to their texts show after a restart.',
    content: html`${filterField('Kind or subject')}
${choiceOf('Language', Object.fromEntries(LANGUAGES.map(name => [name, nameOf(name)])))}${THEME_CHOICE}
<div class="gallery">${MAILS.flatMap(name => (name === 'notice' ? NOTICES.map(opening => cardOf(name, sender, opening)) : cardOf(name, sender)))}</div>`,
  }))
}

function cardOf(name: MailName, sender: MailSender, opening?: Phrase) {
  const mails = LANGUAGES.map(language => {
    const mail = sampleMail(MailLanguage.of(language), name, sender, opening)
    return html`<div lang="${language}"><small>${mail.subject}</small>${mailFrame(htmlOf(mail, sender), `${name} in ${nameOf(language)}`)}</div>`
  })
  return html`<section class="card" data-filtered><h2>${name}${opening ? `: ${opening}` : ''}</h2>${mails}</section>\n`
}

function nameOf(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language
}

const MAILS = Object.keys(en.mails) as MailName[]
/** What a notice can be about, by the phrase that it opens with. */
const NOTICES = (Object.keys(en.phrases) as Phrase[]).filter(name => /[oO]pening$/.test(name))

/** Like `passkeyAdded` for `passkeyAddedOpening`. */
function subjectFor(opening: Phrase): Phrase {
  return opening.replace(/\.opening$/, '.subject').replace(/Opening$/, '') as Phrase
}

/** A mail of this kind as long as it gets; a notice says what the phrase `opening` says. */
export function sampleMail(
  words: MailLanguage,
  name: MailName,
  sender: MailSender,
  opening: Phrase = 'newDevice.opening',
): Mail {
  return words.mail(name, valuesIn(words, sender, opening))
}

/** The names in braces in a text. */
type ValueIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | ValueIn<Rest> : never
type TextIn<Part> = Part extends readonly (infer Text)[] ? Text : Part
type Mails = (typeof en)['mails']
/** What the mails leave open: a text with another value does not compile until there is a sample of it. */
type SampleValue = ValueIn<TextIn<{ [Name in MailName]: Mails[Name][keyof Mails[Name]] }[MailName]>>

const TOKEN = 'x5Zl0nJqvQ2mC8rYk1TtS3aWb9eUo4hPiDg6fMwN7Xs'

function valuesIn(words: MailLanguage, { name: site, host }: MailSender, opening: Phrase) {
  const time = new Date('2026-11-24T14:05:00Z')
  const day = words.day(time)
  const device = words.device('Chrome on Windows')
  const member = 'annabellamargarethe.vonundzurmuehlen@seilerei.example'
  const inviter = 'rosa@ropes-and-sails.example'
  const team = { inviter, team: 'Ropes and sails', site }
  const proof = { record: '_mainstay-challenge.ropes.example', text: `mainstay-site-verification=${TOKEN}` }
  return {
    ...{ site, day, time: words.time(time), count: 12, days: 7 },
    name: "Rosa's shop for ropes and sails (ropes-and-sails.of-a-customer.example)",
    host: 'reports.north-rhine-westphalia.customers.ropes-and-sails-group.example',
    url: `https://${host}/reset-password#token=${TOKEN}`,
    frontPage: `https://${host}/`,
    introduction: words.phrase('invitation.toNamedTeam', team),
    sites: words.list(['ropes.example', 'sails.example', 'anchors.of-a-customer.example']),
    claim: words.phrase('factorReset.byManager', { site }),
    removal: words.phrase('removal.fromNamedTeam', team),
    login: words.phrase('factorReset.noPassword'),
    otherwise: words.phrase('factorReset.changePassword'),
    deletion: words.phrase('becameOwner.deletion', { day }),
    ...{ member, user: member, inviter, by: inviter },
    powers: words.list([
      words.phrase('power.payments'),
      words.phrase('power.accountSettings'),
      words.phrase('power.teamManagement'),
    ]),
    members: words.list(['anna@ropes-and-sails.example', words.phrase('team.others', { count: 3 })]),
    satellites: words.list(['ropes-and-sails.example', words.phrase('satellite.others', { count: 3 })]),
    whom: words.phrase('policy.managers', { from: words.phrase('policy.from', { day }) }),
    payments: words.phrase('policy.payWith', { minutes: 30 }),
    why: words.phrase('planLost.unpaid', { site }),
    emailChanged: words.emailChangedSubject(site),
    subject: words.phrase(subjectFor(opening), { site, device }),
    opening: words.phrase(opening, { site }),
    circumstances: [
      words.phrase('notice.circumstancesWithPlace', {
        ...{ device, day, time: words.time(time), place: 'Berlin, Germany' },
      }),
      words.phrase('notice.ip', { ip: '203.0.113.7' }),
    ].join('\n'),
    advice: words.phrase('notice.nothingToDo'),
    place: words.phrase('proof.placeWithFile', {
      ...proof,
      file: 'https://ropes.example/.well-known/mainstay',
    }),
    consequence: words.phrase('proof.suspendsOn', { day }),
  } satisfies Readonly<Record<SampleValue | 'url', string | number>>
}
