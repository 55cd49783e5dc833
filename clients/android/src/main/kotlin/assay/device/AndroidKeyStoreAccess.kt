package assay.device

import android.os.Build
import android.security.KeyStoreException
import android.security.keystore.BackendBusyException
import android.security.keystore.KeyExpiredException
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyNotYetValidException
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.KeyProperties
import android.security.keystore.StrongBoxUnavailableException
import android.security.keystore.UserNotAuthenticatedException
import java.security.KeyPairGenerator
import java.security.KeyStore
import java.security.PrivateKey
import java.security.Signature
import java.security.UnrecoverableKeyException
import java.security.spec.ECGenParameterSpec

/**
 * Android Keystore, from Android 8 (API 26) on: the first whose attestations name the app. This is the only file with Android
 * classes; what follows a failure is decided in `KeyStoreDecision`.
 */
class AndroidKeyStoreAccess : KeyStoreAccess {
    private val store: KeyStore get() = KeyStore.getInstance(PROVIDER).apply { load(null) }

    override fun generate(request: KeyRequest) = translated {
        val spec = KeyGenParameterSpec.Builder(request.alias, KeyProperties.PURPOSE_SIGN)
            .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1"))
            .setDigests(KeyProperties.DIGEST_SHA256)
            .setAttestationChallenge(request.clientData)
        if (request.inStrongBox) {
            if (Build.VERSION.SDK_INT < Build.VERSION_CODES.P) {
                throw KeyStoreFailure(KeyStoreFailure.Kind.STRONGBOX_UNAVAILABLE, "StrongBox came with Android 9")
            }
            spec.setIsStrongBoxBacked(true)
        }
        if (request.withDeviceProperties && Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
            spec.setDevicePropertiesAttestationIncluded(true)
        }
        val generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, PROVIDER)
        generator.initialize(spec.build())
        generator.generateKeyPair()
        Unit
    }

    override fun certificateChain(alias: String): List<ByteArray>? = translated {
        store.getCertificateChain(alias)?.mapNotNull { it?.encoded }
    }

    override fun publicKey(alias: String): ByteArray? = translated { store.getCertificate(alias)?.publicKey?.encoded }

    override fun sign(alias: String, message: ByteArray): ByteArray = translated {
        val key = store.getKey(alias, null) as? PrivateKey
            ?: throw KeyStoreFailure(KeyStoreFailure.Kind.KEY_MISSING, "Keystore has no key of this alias")
        Signature.getInstance("SHA256withECDSA").run {
            initSign(key)
            update(message)
            sign()
        } ?: throw KeyStoreFailure(KeyStoreFailure.Kind.OTHER, "Keystore returned no signature")
    }

    override fun delete(alias: String) = translated { store.deleteEntry(alias) }

    /** Keystores of some makers throw what their documentation does not name, `NullPointerException` too. */
    private fun <Value> translated(work: () -> Value): Value = try {
        work()
    } catch (failure: KeyStoreFailure) {
        throw failure
    } catch (error: Exception) {
        throw failure(error)
    }

    private fun failure(error: Exception): KeyStoreFailure {
        val causes = generateSequence<Throwable>(error) { it.cause }.take(8).toList()
        val details = if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
            causes.filterIsInstance<KeyStoreException>().firstOrNull()?.let {
                KeyStoreFailure.Details(
                    code = it.numericErrorCode, isTransient = it.isTransientFailure, isSystemError = it.isSystemError,
                    requiresUserAuthentication = it.requiresUserAuthentication(), retryPolicy = it.retryPolicy,
                )
            }
        } else {
            null
        }
        val busy = if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) causes.filterIsInstance<BackendBusyException>().firstOrNull() else null
        val kind = when {
            Build.VERSION.SDK_INT >= Build.VERSION_CODES.P && causes.any { it is StrongBoxUnavailableException } ->
                KeyStoreFailure.Kind.STRONGBOX_UNAVAILABLE
            causes.any { it is UserNotAuthenticatedException } -> KeyStoreFailure.Kind.USER_NOT_AUTHENTICATED
            busy != null -> KeyStoreFailure.Kind.BACKEND_BUSY
            causes.any {
                it is KeyPermanentlyInvalidatedException || it is KeyExpiredException || it is KeyNotYetValidException
            } -> KeyStoreFailure.Kind.KEY_UNUSABLE
            // Also thrown when keystore2 does not answer: then the details say that it passes.
            error is UnrecoverableKeyException && details?.isTransient != true -> KeyStoreFailure.Kind.KEY_UNUSABLE
            else -> KeyStoreFailure.Kind.OTHER
        }
        val message = causes.joinToString(": ") { "${it.javaClass.simpleName} ${it.message ?: ""}".trim() }
        return KeyStoreFailure(kind, brief(message), details, busy?.backOffHintMillis, error)
    }

    private companion object {
        const val PROVIDER = "AndroidKeyStore"
    }
}
