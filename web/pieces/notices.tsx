import { type ErrorCode, type FieldError, MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useState } from 'react'
import { useEffect } from './activity.js'
import { isFault } from './fault.js'
import { rescueFocus } from './focus.js'
import { Icon } from './icon.js'
import { sharedValue } from './shared-value.js'
import { i18n, type MessageKey, t } from './t.js'
import { breakable } from './text.js'

/** Good news, read out when it appears. Takes the focus if what it replaces had it. */
export function Success({ children }: { readonly children: ReactNode }) {
  useEffect(rescueFocus, [])
  return (
    <div className="notice good" role="status" tabIndex={-1}>
      <Icon name="check" />
      <div>{breakable(children)}</div>
    </div>
  )
}

/** Something to know before continuing; read out when it appears if it is news. */
export function Hint({
  isNews = false,
  children,
}: {
  readonly isNews?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className="notice" role={isNews ? 'status' : undefined}>
      <Icon name="info" />
      <div>{breakable(children)}</div>
    </div>
  )
}

/** Something that must be done; read out at once when it responds to what somebody did. */
export function Warning({
  isAnswer = false,
  isMild = false,
  children,
}: {
  readonly isAnswer?: boolean
  /** Nothing has gone wrong yet. */
  readonly isMild?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={`notice ${isMild ? 'warn' : 'bad'}`} role={isAnswer ? 'alert' : undefined}>
      <Icon name="warning" />
      <div>{breakable(children)}</div>
    </div>
  )
}

/** An error, read out at once; renders nothing when there is none. */
export function Failure({
  error,
  messages,
  children,
}: {
  readonly error: unknown
  readonly messages?: Messages | undefined
  /** What can be done about it. */
  readonly children?: ReactNode
}) {
  if (!error) return null
  const reference = error instanceof MainstayError && error.status >= 500 ? error.requestId : null
  return (
    <div className="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        {breakable(messageOf(error, messages))} {breakable(children)}
        {reference && <small> {t('common.reference', { reference })}</small>}
      </div>
    </div>
  )
}

const SHOWN_MS = 6_000
/** Nobody reads more at once. */
const MAX_TOASTS = 3

interface Toast {
  readonly id: number
  readonly text: string
}

const toasts = sharedValue<readonly Toast[]>([])
let lastId = 0

/** Says that something was done; disappears by itself. Errors instead stay beside their form. */
export function toast(text: string): void {
  lastId += 1
  toasts.set([...toasts.read(), { id: lastId, text }].slice(-MAX_TOASTS))
}

/**
 * Where toasts appear, once per page. They are read out, and stay while somebody points at them or focuses them. They
 * go with the frame of the page, because they are not for the next person.
 */
export function Toasts() {
  const shown = toasts.useValue()
  useEffect(() => () => toasts.set([]), [])
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text }) => (
        <ToastCard key={id} text={text} dismiss={() => dismiss(id)} />
      ))}
    </div>
  )
}

function ToastCard({ text, dismiss }: { readonly text: string; readonly dismiss: () => void }) {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(dismiss, SHOWN_MS)
    return () => clearTimeout(timer)
    // Without dismiss: another toast must not give this one more time.
  }, [isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while somebody is here.
    <div
      className="toast"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon name="check" />
      <span>{breakable(text)}</span>
      <button type="button" aria-label={t('common.dismiss')} onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  )
}

function dismiss(id: number): void {
  toasts.set(toasts.read().filter(other => other.id !== id))
}

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

/** Whether this is a refusal by the service with this code. */
export function isRefusal(error: unknown, code: ErrorCode): error is MainstayError {
  return error instanceof MainstayError && error.code === code
}
