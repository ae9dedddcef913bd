// What forms have besides forms.tsx, which the first page loads: that has none of these.
import { type ReactNode, use, useId, useRef, useState } from 'react'
import { useEffect } from './activity.js'
import { Dialog } from './dialog.js'
import { Field, FieldErrors, Form } from './forms.js'
import { faultText } from './notices.js'
import { t } from './t.js'

export interface Option {
  readonly value: string
  readonly name: string
  readonly hint?: ReactNode
}

/** One of a few options, all visible. A later `chosen` leaves alone what the user has chosen. */
export function RadioChoice({
  label,
  name,
  options,
  chosen,
  onChoose,
}: {
  readonly label: string
  readonly name: string
  readonly options: readonly Option[]
  readonly chosen: string
  readonly onChoose?: (value: string) => void
}) {
  const first = useRef(chosen).current
  return (
    <fieldset>
      <legend>{label}</legend>
      <div className="choices">
        {options.map(option => (
          <label key={option.value} className="choice">
            <input
              type="radio"
              name={name}
              value={option.value}
              defaultChecked={option.value === first}
              onChange={() => onChoose?.(option.value)}
            />
            <span>
              {option.name}
              {option.hint && <small>{option.hint}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** One of many options. A later `chosen` leaves alone what the user has chosen. */
export function SelectField({
  label,
  name,
  options,
  chosen,
  hint,
}: {
  readonly label: string
  readonly name: string
  readonly options: readonly Option[]
  readonly chosen: string
  readonly hint?: string
}) {
  const id = useId()
  const first = useRef(chosen).current
  const fault = use(FieldErrors).find(({ field }) => field === name)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={first} aria-describedby={hint && `${id}-hint`}>
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {fault && <small className="fault">{faultText(fault)}</small>}
    </div>
  )
}

/** Asks before doing something. */
export function ConfirmButton({
  name,
  label,
  kind = 'plain',
  isFinal = kind === 'danger',
  question,
  confirm,
  act,
  typed,
  children,
}: {
  readonly name: string
  /** Needed where several buttons on a page have the same name. */
  readonly label?: string
  /** `danger` is for what cannot be undone, where it stands alone. */
  readonly kind?: 'danger' | 'plain'
  /** Whether it cannot be undone. */
  readonly isFinal?: boolean
  readonly question: string
  readonly confirm: string
  readonly act: () => Promise<unknown>
  /** What has to be typed first, for what ends everything. */
  readonly typed?: string
  readonly children?: ReactNode
}) {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  return (
    <>
      <button type="button" className={kind} aria-label={label} onClick={() => setIsAsking(true)}>
        {name}
      </button>
      {isAsking && (
        <Dialog title={question} onCancel={close}>
          {children}
          <Form kind={isFinal ? 'danger' : 'primary'} submit={confirm} send={() => act().then(close)}>
            {typed !== undefined && <TypedField text={typed} />}
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** Accepts nothing but this text. */
function TypedField({ text }: { readonly text: string }) {
  const label = t('confirm.type', { text })
  const pattern = text.trim().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return (
    <Field
      label={label}
      name="confirmation"
      title={t('confirm.other')}
      pattern={`\\s*${pattern}\\s*`}
      autoComplete="off"
      required
    />
  )
}

/** Long enough to type the next letter or digit. */
export const PAUSE_MS = 250

/** Calls `search` with the trimmed text, once somebody stops typing. */
export function SearchField({
  label,
  initial = '',
  search,
}: {
  readonly label: string
  /** The current search text. */
  readonly initial?: string
  readonly search: (text: string) => void
}) {
  const [text, setText] = useState(initial)
  const latest = useRef(search)
  latest.current = search
  const searched = useRef(initial)
  useEffect(() => {
    const timer = setTimeout(() => {
      searched.current = text.trim()
      latest.current(searched.current)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  // Changed otherwise, such as by a link to the whole list.
  useEffect(() => {
    if (initial !== searched.current) setText(initial)
  }, [initial])
  return (
    <input
      type="search"
      className="search"
      aria-label={label}
      placeholder={label}
      maxLength={100}
      value={text}
      onChange={event => setText(event.target.value)}
    />
  )
}
