import { useState } from 'react'
import { Field } from '../../../pieces/forms/field.js'
import { Form } from '../../../pieces/forms/form.js'
import { Success } from '../../../pieces/notice.js'
import { call } from '../../api.js'

/** Changes the name of the person or of the account. */
export function NameForm({
  path,
  label,
  name,
  autoComplete,
  saved,
}: {
  /** What is patched. */
  readonly path: 'profile' | 'account'
  readonly label: string
  readonly name: string | null
  readonly autoComplete: string
  /** What is said then. */
  readonly saved: string
}) {
  const [isSaved, setIsSaved] = useState(false)
  return (
    <Form
      submit="Save name"
      send={async texts => {
        setIsSaved(false)
        await call('PATCH', path, { name: texts.name?.trim() ?? '' })
        setIsSaved(true)
      }}
    >
      {isSaved && <Success>{saved}</Success>}
      <Field
        label={label}
        name="name"
        defaultValue={name ?? ''}
        autoComplete={autoComplete}
        maxLength={100}
        required
      />
    </Form>
  )
}
