import { Field, Form } from '../../../pieces/forms.js'
import { toast } from '../../../pieces/notices.js'
import { t } from '../../../pieces/t.js'
import { call } from '../../api.js'

/** Changes the name of the person or of the account. */
export function NameForm({
  path,
  label,
  name,
  autoComplete,
  saved,
  done,
}: {
  /** The resource to patch. */
  readonly path: 'profile' | 'account'
  readonly label: string
  readonly name: string | null
  readonly autoComplete: string
  /** The message after saving. */
  readonly saved: string
  /** Called after saving. */
  readonly done?: () => Promise<void>
}) {
  return (
    <Form
      isEdit
      submit={t('common.saveName')}
      send={async texts => {
        await call('PATCH', path, { name: texts.name?.trim() ?? '' })
        await done?.()
        toast(saved)
      }}
    >
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
