import { useState } from 'react'
import { t } from '../../language/t.js'
import { Success } from '../../notices/notice.js'
import type { Person } from '../../shell/person-menu.js'
import { Form } from '../form.js'
import { NewPasswordField, PasswordField, Whose } from './password-fields.js'

/** Changes one's own password. */
export function PasswordForm({
  call,
  person,
}: {
  readonly call: (method: 'POST', path: string, body: object) => Promise<unknown>
  readonly person: Person | null
}) {
  const [isDone, setIsDone] = useState(false)
  return (
    <Form
      submit={t('password.change')}
      messages={{ INVALID_CREDENTIALS: t('password.currentWrong') }}
      send={async ({ currentPassword, password }, form) => {
        setIsDone(false)
        await call('POST', 'password/change', { currentPassword, password })
        form.reset()
        setIsDone(true)
      }}
    >
      {isDone && <Success>{t('password.changed')}</Success>}
      <Whose email={person?.email} />
      <PasswordField label={t('password.current')} name="currentPassword" />
      <NewPasswordField label={t('password.new')} person={person} />
    </Form>
  )
}
