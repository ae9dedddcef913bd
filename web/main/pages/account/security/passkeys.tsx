import { supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { type Load, useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import type { Passkey } from '../../../answers.js'
import { call } from '../../../api.js'
import { addPasskey } from '../../../factors/passkey-calls.js'
import type { Changed } from './factor-props.js'
import { PasskeyRow } from './passkey-row.js'

export type PasskeyList = Load<{ passkeys: Passkey[] }>

export function usePasskeys(): PasskeyList {
  return useLoad(() => call<{ passkeys: Passkey[] }>('GET', 'passkeys'))
}

export function Passkeys({ list, changed }: { readonly list: PasskeyList; readonly changed: Changed }) {
  const changedList: Changed = async (news, codes) => {
    await list.reload()
    await changed(news, codes)
  }
  const add = useAction(async () => changedList(t('passkeys.added'), await addPasskey()))
  return (
    <>
      <p>{t('passkeys.about')}</p>
      <Loaded of={list}>
        {({ passkeys }) =>
          passkeys.length > 0 && (
            <ul className="rows">
              {passkeys.map(passkey => (
                <PasskeyRow key={passkey.id} passkey={passkey} changed={changedList} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {supportsPasskeys() ? (
        <ActionRow action={add}>{t('passkeys.add')}</ActionRow>
      ) : (
        <p className="absent">{t('passkeys.unsupported')}</p>
      )}
    </>
  )
}
