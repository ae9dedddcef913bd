import { type FieldError, MainstayError } from '@mainstay-auth/client'
import {
  createContext,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type RefObject,
  use,
  useId,
  useRef,
  useState,
} from 'react'
import { useEffect, useLayoutEffect } from './activity.js'
import { rescueFocus } from './focus.js'
import { loadLater } from './language.js'
import { Failure, faultText, isRefusal, type Messages, messageOf } from './notices.js'
import { holdPage } from './router.js'
import { t } from './t.js'
import { breakable } from './text.js'

/** The errors in the fields of the surrounding form. */
export const FieldErrors = createContext<readonly FieldError[]>([])

/** The values of a form, by field name. */
export type Texts = Readonly<Record<string, string>>

/**
 * A form with its button. Errors are shown at their fields, whether found by the page or by the service; so is the
 * refusal of a code. Service errors about anything that is not a field here are shown above the button.
 */
export function Form({
  send,
  submit,
  kind = 'primary',
  isEdit = false,
  messages,
  cancel,
  beside,
  children,
}: {
  readonly send: (texts: Texts, form: HTMLFormElement) => Promise<unknown>
  readonly submit: string
  readonly kind?: 'primary' | 'plain' | 'danger' | undefined
  /** Whether it changes what is there already: then there is nothing to send until something is different. */
  readonly isEdit?: boolean
  /** For errors that this form words differently. */
  readonly messages?: Messages | undefined
  /** For a form that can be left; dialogs have a button of their own. */
  readonly cancel?: () => void
  /** Another button. */
  readonly beside?: ReactNode
  readonly children?: ReactNode
}) {
  const own = useRef<HTMLFormElement>(null)
  const edit = useEdit(own, isEdit)
  const action = useAction(async (form: HTMLFormElement) => {
    const saved = edit.saving()
    await send(textsOf(form), form)
    saved()
  })
  const [fields, setFields] = useState<readonly string[]>([])
  const [found, setFound] = useState<readonly FieldError[]>([])
  const code = isRefusal(action.error, 'SECOND_FACTOR_INVALID') && fields.find(name => /code$/i.test(name))
  useEffect(() => {
    if (code) retype(own.current?.elements.namedItem(code) as HTMLInputElement)
  }, [action.error])
  const refused = action.error instanceof MainstayError ? action.error.errors : []
  const faults = code ? [{ field: code, message: messageOf(action.error, messages) }] : refused
  const elsewhere = faults.filter(({ field }) => !fields.includes(field))
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (edit.isUnchanged) return
    const form = event.currentTarget
    const wrong = wrongControlsOf(form)
    setFound(wrong.map(faultOf))
    if (wrong[0]) return pointAt(wrong[0])
    setFields([...form.elements].map(element => (element as HTMLInputElement).name))
    void action.run(form)
  }
  const onInput = ({ target }: FormEvent<HTMLFormElement>) => {
    const { name } = target as HTMLInputElement
    setFound(found.filter(({ field }) => field !== name))
    edit.look()
  }
  return (
    <form ref={own} noValidate onSubmit={onSubmit} onInput={onInput} className="form">
      <FieldErrors value={[...found, ...faults]}>{children}</FieldErrors>
      <Failure error={!code && action.error} messages={messages}>
        {elsewhere.map(faultText).join(' ')}
      </Failure>
      <div className="actions">
        <SubmitButton
          isBusy={action.isBusy}
          isOff={edit.isUnchanged}
          kind={edit.isUnchanged ? 'plain' : kind}
        >
          {submit}
        </SubmitButton>
        {cancel && (
          <button type="button" onClick={cancel}>
            {t('common.cancel')}
          </button>
        )}
        {beside}
      </div>
    </form>
  )
}

/** Whether an edited form has something to send; while it does, leaving the page asks first. */
function useEdit(form: RefObject<HTMLFormElement | null>, isEdit: boolean) {
  const saved = useRef('')
  const inputs = useRef(0)
  const [isChanged, setIsChanged] = useState(false)
  const look = () => {
    inputs.current++
    if (isEdit && form.current) setIsChanged(stateOf(form.current) !== saved.current)
  }
  // What is there when the user comes to it: a part may have been loaded after the form.
  useEffect(() => {
    const element = form.current
    if (!isEdit || isChanged || !element) return
    const note = () => {
      saved.current = stateOf(element)
    }
    element.addEventListener('focusin', note)
    element.addEventListener('pointerdown', note)
    return () => {
      element.removeEventListener('focusin', note)
      element.removeEventListener('pointerdown', note)
    }
  }, [isChanged])
  useEffect(() => (isChanged ? holdPage(() => confirm(t('form.leave'))) : undefined), [isChanged])
  return {
    isUnchanged: isEdit && !isChanged,
    look,
    /** To be called before; what it returns, when all is saved, which may have changed the fields as well. */
    saving: () => {
      const before = inputs.current
      return () => {
        if (inputs.current === before) setIsChanged(false)
      }
    },
  }
}

/** Everything in the form, as one text to compare. */
function stateOf(form: HTMLFormElement): string {
  return JSON.stringify([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}

/** Of a wrong code there is nothing to keep, unless it is a long one with perhaps one slip. */
function retype(control: HTMLInputElement): void {
  if (control.inputMode === 'numeric') control.value = ''
  control.focus()
  control.select()
}

/** Errors are shown at the fields; only for a checkbox does the browser show its own message. */
function pointAt(control: HTMLElement): void {
  control.focus()
  if ((control as HTMLInputElement).type === 'checkbox') (control as HTMLInputElement).reportValidity()
}

function textsOf(form: HTMLFormElement): Texts {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The controls of a form that are filled in wrongly, in document order. */
function wrongControlsOf(form: HTMLFormElement): readonly Control[] {
  return [...form.elements].filter((element): element is Control => !(element as Control).validity.valid)
}

/** What is wrong with a control, in a sentence for people. */
function faultOf(control: Control): FieldError {
  return { field: control.name, message: messageFor(control) }
}

function messageFor(control: Control): string {
  const { validity, type, title, min, max, minLength } = control as HTMLInputElement
  if (validity.valueMissing) return type === 'email' ? t('fault.email') : t('fault.missing')
  if (validity.typeMismatch && type === 'email') return t('fault.emailShape')
  if (validity.typeMismatch) return t('fault.urlShape')
  if (validity.tooShort) return t('fault.tooShort', { minLength })
  if (validity.badInput) return t('fault.number')
  if (validity.rangeUnderflow || validity.rangeOverflow) return rangeText(min, max)
  return title || t('fault.other')
}

function rangeText(min: string, max: string): string {
  if (min && max) return t('fault.range', { min, max })
  return min ? t('fault.atLeast', { min }) : t('fault.atMost', { max })
}

export type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string
  readonly name: string
  readonly hint?: string
  /** A button inside the field. */
  readonly button?: ReactNode
  /** Further content below. */
  readonly below?: ReactNode
}

/** An input with its label, a hint, and any error in what was typed. */
export function Field({ label, hint, button, below, autoFocus, ...input }: FieldProps) {
  const id = useId()
  const takesFocusAtFirst = useRef(autoFocus).current
  const fault = use(FieldErrors).find(({ field }) => field === input.name)
  const told = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  const control = (
    <input
      // The attribute counts for the first field of a document only.
      ref={takesFocusAtFirst ? focusOn : undefined}
      {...input}
      id={id}
      aria-invalid={fault ? true : undefined}
      aria-describedby={told || undefined}
    />
  )
  return (
    <div className="field">
      <label htmlFor={id}>{breakable(label)}</label>
      {button ? (
        <div className="with-button">
          {control}
          {button}
        </div>
      ) : (
        control
      )}
      {below}
      {hint && <small id={`${id}-hint`}>{breakable(hint)}</small>}
      {fault && (
        <small id={`${id}-fault`} className="fault" role="alert">
          {breakable(faultText(fault))}
        </small>
      )}
    </div>
  )
}

/** Once a dialog that was hidden in the same step is closed: until then nothing else takes the focus. */
const focusOn = (input: HTMLInputElement | null) => queueMicrotask(() => input?.focus())

export function EmailField({
  label = t('field.email'),
  autoComplete = 'username',
  ...input
}: Partial<FieldProps>) {
  return <Field label={label} name="email" type="email" autoComplete={autoComplete} required {...input} />
}

interface ButtonLooks {
  readonly isBusy?: boolean
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly children: ReactNode
}

/** Submits the form it is in. */
function SubmitButton({
  isBusy = false,
  isOff = false,
  kind = 'primary',
  children,
}: ButtonLooks & { readonly isOff?: boolean }) {
  const button = useFocusRescue()
  return (
    <button ref={button} type="submit" className={kind} aria-disabled={isOff || isBusy} aria-busy={isBusy}>
      {isBusy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** Starts an action; while it runs, the button shows that and keeps the focus. */
export function ActionButton({
  action,
  label,
  kind = 'plain',
  isOff = false,
  children,
}: ButtonLooks & {
  readonly action: Action<void>
  readonly label?: string
  /** Not to be pressed yet. */
  readonly isOff?: boolean
}) {
  const button = useFocusRescue()
  return (
    <button
      ref={button}
      type="button"
      className={kind}
      aria-label={label}
      aria-disabled={isOff || action.isBusy}
      aria-busy={action.isBusy}
      onClick={() => isOff || void action.run()}
    >
      {action.isBusy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** For a button: if it disappears while it has the focus, the focus moves to what has come of it. */
export function useFocusRescue(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  // While it is still in the page; the notice comes with the next render.
  useLayoutEffect(() => {
    const element = button.current
    return () => {
      if (document.activeElement === element) setTimeout(rescueFocus)
    }
  }, [])
  return button
}

const SHOWN_MS = 3_000

/** Copies a text to the clipboard and says so. */
export function CopyButton({
  text,
  label,
}: {
  readonly text: string
  /** Needed where there are several on a page. */
  readonly label: string
}) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <span className="copy">
      <button type="button" aria-label={label} onClick={() => void copy(text).then(setSaid)}>
        {t('common.copy')}
      </button>
      <small role="status">{said}</small>
    </span>
  )
}

/** Resolves with the message to show. Browsers allow it only over https, and not to everybody. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return t('common.copied')
  } catch {
    return t('common.copyByHand')
  }
}

/** A button on its own row, with any error beside it. */
export function ActionRow({
  action,
  children,
}: {
  readonly action: Action<void>
  readonly children: ReactNode
}) {
  return (
    <div className="actions">
      <ActionButton action={action}>{children}</ActionButton>
      <Failure error={action.error} />
    </div>
  )
}

/** Thrown when somebody changed their mind: nothing to report. */
export class Cancelled extends Error {}

export interface Action<Input> {
  readonly run: (input: Input) => Promise<void>
  readonly isBusy: boolean
  /** What the last run threw; null while one is running, and after a successful one. */
  readonly error: unknown
}

/** Something that a person starts and waits for. Starting it again while it runs does nothing. */
export function useAction<Input = void>(work: (input: Input) => Promise<unknown>): Action<Input> {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null })
  const isRunning = useRef(false)
  const run = async (input: Input) => {
    if (isRunning.current) return
    isRunning.current = true
    setState({ isBusy: true, error: null })
    try {
      await work(input)
      setState({ isBusy: false, error: null })
    } catch (error) {
      // If these fail to load, field errors are shown in the service's own words.
      if (error instanceof MainstayError && error.errors.length > 0) await loadLater().catch(() => {})
      setState({ isBusy: false, error: error instanceof Cancelled ? null : error })
    } finally {
      isRunning.current = false
    }
  }
  return { run, ...state }
}
