import { useAction } from '../../../pieces/forms/use-action.js'
import { t } from '../../../pieces/language/t.js'
import { useLoad } from '../../../pieces/loading/use-load.js'
import { go } from '../../../pieces/router.js'
import { WayOn } from '../../../pieces/way-on.js'
import type { Profile } from '../../answers.js'
import { call } from '../../api.js'
import { client } from '../../client.js'

/** Where to go from a mail, which may be about somebody else than the person who is logged in here. */
export function ToLogin() {
  const { data: person } = useLoad(whoIsHere)
  const logIn = useAction(() => client.logout().then(() => go('/login')))
  if (!person) return <WayOn href="/login">{t('common.toLogin')}</WayOn>
  return (
    <>
      <WayOn href="/account">{t('mailed.goOn', { email: person.email })}</WayOn>
      <p className="links">
        <button type="button" className="link" onClick={() => void logIn.run()}>
          {t('mailed.logInAsOther')}
        </button>
      </p>
    </>
  )
}

async function whoIsHere(): Promise<Profile | null> {
  try {
    await client.refresh()
    return await call<Profile>('GET', 'profile')
  } catch {
    return null
  }
}
