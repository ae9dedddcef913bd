import { useState } from 'react'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { Dialog } from '../../../../pieces/forms/dialog.js'
import { Field } from '../../../../pieces/forms/field.js'
import { Form } from '../../../../pieces/forms/form.js'
import { Ago } from '../../../../pieces/when.js'
import type { Passkey } from '../../../answers.js'
import { call } from '../../../api.js'
import { removePasskey } from '../../../factors/passkey-calls.js'
import type { Changed } from './factor-props.js'

interface PasskeyRowProps {
  readonly passkey: Passkey
  readonly changed: Changed
}

export function PasskeyRow({ passkey, changed }: PasskeyRowProps) {
  const { id, name, createdAt, lastUsedAt } = passkey
  return (
    <li>
      <div>
        <strong>{name}</strong> <Whereabouts passkey={passkey} />
        <small>
          Added <Ago at={createdAt} /> ·{' '}
          {lastUsedAt ? (
            <>
              last used <Ago at={lastUsedAt} />
            </>
          ) : (
            'not used yet'
          )}
        </small>
      </div>
      <Rename passkey={passkey} changed={changed} />
      <ConfirmButton
        name="Remove"
        kind="plain"
        label={`Remove the passkey ${name}`}
        question={`Remove the passkey “${name}”?`}
        confirm="Remove the passkey"
        act={async () => {
          await removePasskey(id)
          await changed('The passkey is removed.')
        }}
      >
        <p>
          It lets nobody in any more. Where your password manager still offers it, you can delete it there
          too.
        </p>
      </ConfirmButton>
    </li>
  )
}

/** Whether the passkey is lost with its device. */
function Whereabouts({ passkey: { isBackedUp, isBackupEligible } }: Pick<PasskeyRowProps, 'passkey'>) {
  if (isBackedUp) return <span className="tag good">Backed up</span>
  return <span className="tag">{isBackupEligible ? 'Not backed up yet' : 'On one device only'}</span>
}

function Rename({ passkey: { id, name }, changed }: PasskeyRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const rename = async (texts: Readonly<Record<string, string>>) => {
    await call('PATCH', `passkeys/${id}`, { name: texts.name?.trim() })
    close()
    await changed('The name is saved.')
  }
  return (
    <>
      <button type="button" aria-label={`Rename the passkey ${name}`} onClick={() => setIsOpen(true)}>
        Rename
      </button>
      {isOpen && (
        <Dialog title="Rename the passkey" onCancel={close}>
          <Form submit="Save name" send={rename}>
            <Field label="Name" name="name" defaultValue={name} maxLength={100} autoComplete="off" required />
          </Form>
        </Dialog>
      )}
    </>
  )
}
