import { useState } from 'react'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { Dialog } from '../../../../pieces/forms/dialog.js'
import { Field } from '../../../../pieces/forms/field.js'
import { Form } from '../../../../pieces/forms/form.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Ago } from '../../../../pieces/time/when.js'
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
          {lastUsedAt ? (
            <T id="passkeys.used" added={<Ago at={createdAt} />} used={<Ago at={lastUsedAt} />} />
          ) : (
            <T id="passkeys.unused" added={<Ago at={createdAt} />} />
          )}
        </small>
      </div>
      <Rename passkey={passkey} changed={changed} />
      <ConfirmButton
        name={t('common.remove')}
        isFinal
        label={t('passkeys.removeNamed', { name })}
        question={t('passkeys.removeAsk', { name })}
        confirm={t('passkeys.removeYes')}
        act={async () => {
          await removePasskey(id)
          await changed(t('passkeys.removed'))
        }}
      >
        <p>{t('passkeys.removeMeans')}</p>
      </ConfirmButton>
    </li>
  )
}

/** Whether losing the device means losing the passkey. */
function Whereabouts({ passkey: { isBackedUp, isBackupEligible } }: Pick<PasskeyRowProps, 'passkey'>) {
  if (isBackedUp) return <span className="tag good">{t('passkeys.backedUp')}</span>
  return <span className="tag">{isBackupEligible ? t('passkeys.notBackedUp') : t('passkeys.oneDevice')}</span>
}

function Rename({ passkey: { id, name }, changed }: PasskeyRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const rename = async (texts: Readonly<Record<string, string>>) => {
    await call('PATCH', `passkeys/${id}`, { name: texts.name?.trim() })
    close()
    await changed(t('passkeys.nameSaved'))
  }
  return (
    <>
      <button type="button" aria-label={t('passkeys.renameNamed', { name })} onClick={() => setIsOpen(true)}>
        {t('passkeys.rename')}
      </button>
      {isOpen && (
        <Dialog title={t('passkeys.renameTitle')} onCancel={close}>
          <Form submit={t('common.saveName')} send={rename}>
            <Field
              label={t('field.name')}
              name="name"
              defaultValue={name}
              maxLength={100}
              autoComplete="off"
              required
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}
