import { type ErrorCode, type FieldError, MainstayError } from '@mainstay-auth/client'
import { i18n, type MessageKey, t } from '../language/t.js'
import { isFault } from './fault.js'

/** Sentences by error code. */
export type Messages = Partial<Record<ErrorCode | 'UNKNOWN', string>>

/** A sentence for people about whatever was thrown; `own` has the wording of the place where it happened. */
export function messageOf(error: unknown, own: Messages = {}): string {
  if (!(error instanceof MainstayError)) return wordsForNoAnswer(error)
  // A service newer than the page may have codes that the page does not know.
  const message = own[error.code] ?? known(`error.${error.code}`) ?? `${withoutPeriod(error.message)}.`
  return error.code === 'TOO_MANY_ATTEMPTS' ? `${message} ${retryText(error.retryAfterSeconds)}` : message
}

/** What is wrong with a field, as a sentence; in English if the service is newer than the page. */
export function faultText({ code, values, message }: FieldError): string {
  return `${withoutPeriod(known(`fieldFault.${code}`, values) ?? message)}.`
}

function withoutPeriod(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

/** There was no response, as a rule. The browser does not say whose fault that is, unless it is offline. */
function wordsForNoAnswer(error: unknown): string {
  if (!navigator.onLine) return t('noAnswer.offline')
  const { name } = error as Error
  // The errors with which browsers report passkey problems, by name.
  const passkeyMessage = known(`passkey.${name}`)
  if (passkeyMessage) return passkeyMessage
  if (isFault(error)) return t('noAnswer.fault')
  return name === 'TimeoutError' ? t('noAnswer.timeout') : t('noAnswer.network')
}

/** The message with this name; null when there is none. */
function known(key: string, values: FieldError['values'] = {}): string | null {
  return Object.hasOwn(i18n.messages, key) ? t(key as MessageKey, values) : null
}

function retryText(seconds: number | null): string {
  return seconds === null ? t('retry.soon') : t('retry.inMinutes', { minutes: Math.ceil(seconds / 60) || 1 })
}
