package assay.device

import android.os.Build
import android.security.KeyStoreException
import android.security.keystore.BackendBusyException
import android.security.keystore.KeyExpiredException
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.KeyProperties
import android.security.keystore.StrongBoxUnavailableException
import android.security.keystore.UserNotAuthenticatedException
import assay.device.KeyStoreFailure.Kind
import java.io.InputStream
import java.io.OutputStream
import java.security.InvalidKeyException
import java.security.Key
import java.security.KeyPair
import java.security.KeyPairGenerator
import java.security.KeyPairGeneratorSpi
import java.security.KeyStoreSpi
import java.security.Provider
import java.security.ProviderException
import java.security.SecureRandom
import java.security.Security
import java.security.Signature
import java.security.UnrecoverableKeyException
import java.security.cert.Certificate
import java.security.spec.AlgorithmParameterSpec
import java.security.spec.ECGenParameterSpec
import java.util.Collections
import java.util.Date
import java.util.Enumeration

/** What the provider "AndroidKeyStore" of this test does. */
private object Hooks {
    var generate: (KeyGenParameterSpec) -> Unit = {}
    var key: () -> Key? = { null }
    var chain: () -> Array<Certificate?>? = { null }
    val deleted = ArrayList<String>()
}

class HookedGenerator : KeyPairGeneratorSpi() {
    private lateinit var spec: KeyGenParameterSpec

    override fun initialize(size: Int, random: SecureRandom?): Unit = throw UnsupportedOperationException()

    override fun initialize(params: AlgorithmParameterSpec, random: SecureRandom?) {
        spec = params as KeyGenParameterSpec
    }

    override fun generateKeyPair(): KeyPair {
        Hooks.generate(spec)
        return pair
    }
}

class HookedKeyStore : KeyStoreSpi() {
    override fun engineGetKey(alias: String, password: CharArray?): Key? = Hooks.key()
    override fun engineGetCertificateChain(alias: String): Array<Certificate?>? = Hooks.chain()
    override fun engineGetCertificate(alias: String): Certificate? = Hooks.chain()?.firstOrNull()
    override fun engineDeleteEntry(alias: String) { Hooks.deleted.add(alias) }
    override fun engineLoad(stream: InputStream?, password: CharArray?) {}
    override fun engineGetCreationDate(alias: String): Date? = null
    override fun engineSetKeyEntry(alias: String, key: Key?, password: CharArray?, chain: Array<Certificate?>?): Unit = unused()
    override fun engineSetKeyEntry(alias: String, key: ByteArray?, chain: Array<Certificate?>?): Unit = unused()
    override fun engineSetCertificateEntry(alias: String, certificate: Certificate?): Unit = unused()
    override fun engineAliases(): Enumeration<String> = Collections.emptyEnumeration()
    override fun engineContainsAlias(alias: String): Boolean = false
    override fun engineSize(): Int = 0
    override fun engineIsKeyEntry(alias: String): Boolean = false
    override fun engineIsCertificateEntry(alias: String): Boolean = false
    override fun engineGetCertificateAlias(certificate: Certificate?): String? = null
    override fun engineStore(stream: OutputStream?, password: CharArray?): Unit = unused()

    private fun unused(): Nothing = throw UnsupportedOperationException()
}

private class HookedProvider : Provider("AndroidKeyStore", "1", "of this test") {
    init {
        put("KeyStore.AndroidKeyStore", HookedKeyStore::class.java.name)
        put("KeyPairGenerator.EC", HookedGenerator::class.java.name)
    }
}

private val pair: KeyPair = KeyPairGenerator.getInstance("EC", "SunEC").apply { initialize(ECGenParameterSpec("secp256r1")) }.generateKeyPair()

private class BareCertificate(private val bytes: ByteArray) : Certificate("bare") {
    override fun getEncoded() = bytes
    override fun verify(key: java.security.PublicKey?) {}
    override fun verify(key: java.security.PublicKey?, provider: String?) {}
    override fun toString() = "bare"
    override fun getPublicKey(): java.security.PublicKey = pair.public
}

fun androidTests(checks: Checks) {
    Security.addProvider(HookedProvider())
    val access = AndroidKeyStoreAccess()

    fun at(sdk: Int, block: () -> Unit) {
        val before = Build.VERSION.SDK_INT
        Build.VERSION.SDK_INT = sdk
        try { block() } finally { Build.VERSION.SDK_INT = before }
    }

    fun generate(box: Boolean = true, properties: Boolean = false) =
        access.generate(KeyRequest("an alias", ByteArray(93) { 9 }, box, properties))

    checks.test("a key is asked for as the daemon wants it") {
        val specs = ArrayList<KeyGenParameterSpec>()
        Hooks.generate = { specs.add(it) }
        generate()
        val spec = specs[0]
        equal("an alias", spec.keystoreAlias)
        equal(KeyProperties.PURPOSE_SIGN, spec.purposes)
        equal("secp256r1", (spec.algorithmParameterSpec as ECGenParameterSpec).name)
        equal(listOf("SHA-256"), spec.digests.toList())
        equal(ByteArray(93) { 9 }, spec.attestationChallenge)
        equal(true, spec.isStrongBoxBacked)
        equal(false, spec.isDevicePropertiesAttestationIncluded)
        generate(box = false, properties = true)
        equal(false to true, specs[1].isStrongBoxBacked to specs[1].isDevicePropertiesAttestationIncluded)
        at(30) { generate(properties = true) }
        equal(false, specs[2].isDevicePropertiesAttestationIncluded, "before Android 12")
        at(27) { equal(Kind.STRONGBOX_UNAVAILABLE, throws<KeyStoreFailure> { generate() }.kind) }
        equal(3, specs.size)
    }
    checks.test("each exception of Keystore has its kind, and from Android 13 on its details") {
        fun wrapped(cause: Throwable) = ProviderException("Failed to generate key pair.", cause)
        val outOfKeys = KeyStoreException(16, "out of keys", true, true, false, 3)
        for ((thrown, kind) in listOf(
            StrongBoxUnavailableException() to Kind.STRONGBOX_UNAVAILABLE, BackendBusyException(17) to Kind.BACKEND_BUSY,
            wrapped(outOfKeys) to Kind.OTHER, NullPointerException() to Kind.OTHER, IllegalStateException("odd") to Kind.OTHER,
            UserNotAuthenticatedException() to Kind.USER_NOT_AUTHENTICATED,
        )) {
            Hooks.generate = { throw thrown }
            val failure = throws<KeyStoreFailure> { generate() }
            equal(kind, failure.kind, "$thrown")
            equal(if (thrown is BackendBusyException) 17L else null, failure.backOffHintMillis)
            equal(thrown, failure.cause)
            holds(failure.message!!.contains(thrown.javaClass.simpleName), failure.message!!)
        }
        Hooks.generate = { throw wrapped(outOfKeys) }
        val details = throws<KeyStoreFailure> { generate() }.details!!
        equal(listOf(16, true, true, false, 3), listOf(details.code, details.isTransient, details.isSystemError, details.requiresUserAuthentication, details.retryPolicy))
        equal(Problem.PROVISIONING_OFFLINE, KeyStoreDecision.generating(throws { generate() }, KeyRequest("a", ByteArray(0), true, false), StrongBox.PREFER).problem)
        at(32) { equal(null, throws<KeyStoreFailure> { generate() }.details, "before Android 13 the class has no such methods") }
    }
    checks.test("a key that is gone or invalid is one that needs another") {
        val transient = UnrecoverableKeyException("busy").apply { initCause(KeyStoreException(4, "keystore2 restarts", true, true, false, 2)) }
        for ((thrown, step) in listOf(
            UnrecoverableKeyException("gone") to KeyStoreDecision.Step.NEW_KEY,
            UnrecoverableKeyException("invalid").apply { initCause(KeyPermanentlyInvalidatedException()) } to KeyStoreDecision.Step.NEW_KEY,
            KeyPermanentlyInvalidatedException() to KeyStoreDecision.Step.NEW_KEY, KeyExpiredException() to KeyStoreDecision.Step.NEW_KEY,
            transient to KeyStoreDecision.Step.LATER, InvalidKeyException("odd") to KeyStoreDecision.Step.LATER,
        )) {
            Hooks.key = { throw thrown }
            equal(step, KeyStoreDecision.signing(throws { access.sign("a", ByteArray(1)) }).step, "$thrown")
        }
        Hooks.key = { null }
        equal(Kind.KEY_MISSING, throws<KeyStoreFailure> { access.sign("a", ByteArray(1)) }.kind)
    }
    checks.test("a signature, a chain and a public key are what Keystore has") {
        Hooks.key = { pair.private }
        val signature = access.sign("a", byteArrayOf(1, 2, 3))
        holds(Signature.getInstance("SHA256withECDSA").run { initVerify(pair.public); update(byteArrayOf(1, 2, 3)); verify(signature) }, "verified")
        Hooks.chain = { null }
        equal(null, access.certificateChain("a"))
        equal(null, access.publicKey("a"))
        Hooks.chain = { arrayOf(BareCertificate(byteArrayOf(1)), null, BareCertificate(byteArrayOf(2))) }
        equal(listOf("01", "02"), access.certificateChain("a")!!.map { hex(it) })
        equal(pair.public.encoded, access.publicKey("a"))
        access.delete("a")
        equal(listOf("a"), Hooks.deleted)
    }
}
