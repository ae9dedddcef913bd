import { type ReactNode, use, useId } from 'react'
import { FieldErrors } from './forms.js'
import { faultText } from './notices.js'

export interface Option {
  readonly value: string
  readonly name: string
  readonly hint?: ReactNode
}

/** One of a few options, all visible. */
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
              defaultChecked={option.value === chosen}
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

/** One of many options. */
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
  const fault = use(FieldErrors).find(({ field }) => field === name)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={chosen} aria-describedby={hint && `${id}-hint`}>
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
