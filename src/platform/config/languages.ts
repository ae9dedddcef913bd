/** Every language that mails and pages are written in, by its BCP 47 tag. Their words are in src/mail/messages and web/messages. */
export const LANGUAGES = ['en', 'de'] as const

export type LanguageName = (typeof LANGUAGES)[number]
