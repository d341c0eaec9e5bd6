#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/pkcs12.h>
#include <gnutls/x509.h>
#include <stdbool.h>

// GnuTLS is loaded when TLS is first needed: it takes 1.4 ms to start, which every start of the program would pay for.

#define CBLITE_GNUTLS_LIBRARY "libgnutls.so.30"

#define CBLITE_GNUTLS_FUNCTIONS(F) \
    F(init, gnutls_init) \
    F(deinit, gnutls_deinit) \
    F(handshake, gnutls_handshake) \
    F(send, gnutls_record_send) \
    F(receive, gnutls_record_recv) \
    F(direction, gnutls_record_get_direction) \
    F(bye, gnutls_bye) \
    F(alert, gnutls_alert_get) \
    F(alert_send, gnutls_alert_send_appropriate) \
    F(alert_name, gnutls_alert_get_name) \
    F(error_is_fatal, gnutls_error_is_fatal) \
    F(error_text, gnutls_strerror) \
    F(set_priority, gnutls_priority_set_direct) \
    F(set_credentials, gnutls_credentials_set) \
    F(set_server_name, gnutls_server_name_set) \
    F(set_owner, gnutls_session_set_ptr) \
    F(owner, gnutls_session_get_ptr) \
    F(set_transport, gnutls_transport_set_ptr) \
    F(set_pull, gnutls_transport_set_pull_function) \
    F(set_push, gnutls_transport_set_push_function) \
    F(set_pull_timeout, gnutls_transport_set_pull_timeout_function) \
    F(set_errno, gnutls_transport_set_errno) \
    F(set_verify, gnutls_session_set_verify_function) \
    F(request_certificate, gnutls_certificate_server_set_request) \
    F(client_certificate_requested, gnutls_certificate_client_get_request_status) \
    F(peers, gnutls_certificate_get_peers) \
    F(verify_peers, gnutls_certificate_verify_peers3) \
    F(credentials_allocate, gnutls_certificate_allocate_credentials) \
    F(credentials_free, gnutls_certificate_free_credentials) \
    F(credentials_system_trust, gnutls_certificate_set_x509_system_trust) \
    F(credentials_trust, gnutls_certificate_set_x509_trust) \
    F(credentials_key, gnutls_certificate_set_x509_key) \
    F(certificate_init, gnutls_x509_crt_init) \
    F(certificate_deinit, gnutls_x509_crt_deinit) \
    F(certificate_import, gnutls_x509_crt_import) \
    F(certificates_import, gnutls_x509_crt_list_import) \
    F(certificate_export, gnutls_x509_crt_export) \
    F(certificate_name, gnutls_x509_crt_get_dn) \
    F(certificate_name_part, gnutls_x509_crt_get_dn_by_oid) \
    F(certificate_key_id, gnutls_x509_crt_get_key_id) \
    F(certificate_expires, gnutls_x509_crt_get_expiration_time) \
    F(certificate_is_issuer, gnutls_x509_crt_check_issuer) \
    F(certificate_is_for, gnutls_x509_crt_check_hostname) \
    F(certificate_set_version, gnutls_x509_crt_set_version) \
    F(certificate_set_serial, gnutls_x509_crt_set_serial) \
    F(certificate_set_activation, gnutls_x509_crt_set_activation_time) \
    F(certificate_set_expiration, gnutls_x509_crt_set_expiration_time) \
    F(certificate_set_key, gnutls_x509_crt_set_key) \
    F(certificate_set_name, gnutls_x509_crt_set_dn_by_oid) \
    F(certificate_add_alternative, gnutls_x509_crt_set_subject_alt_name) \
    F(certificate_set_constraints, gnutls_x509_crt_set_basic_constraints) \
    F(certificate_set_usage, gnutls_x509_crt_set_key_usage) \
    F(certificate_add_purpose, gnutls_x509_crt_set_key_purpose_oid) \
    F(certificate_set_key_id, gnutls_x509_crt_set_subject_key_id) \
    F(certificate_sign, gnutls_x509_crt_sign2) \
    F(key_init, gnutls_x509_privkey_init) \
    F(key_deinit, gnutls_x509_privkey_deinit) \
    F(key_generate, gnutls_x509_privkey_generate) \
    F(key_import, gnutls_x509_privkey_import2) \
    F(key_export_encrypted, gnutls_x509_privkey_export_pkcs8) \
    F(key_id, gnutls_x509_privkey_get_key_id) \
    F(trust_init, gnutls_x509_trust_list_init) \
    F(trust_deinit, gnutls_x509_trust_list_deinit) \
    F(trust_add, gnutls_x509_trust_list_add_cas) \
    F(trust_verify, gnutls_x509_trust_list_verify_crt) \
    F(package_init, gnutls_pkcs12_init) \
    F(package_deinit, gnutls_pkcs12_deinit) \
    F(package_import, gnutls_pkcs12_import) \
    F(package_verify, gnutls_pkcs12_verify_mac) \
    F(package_parse, gnutls_pkcs12_simple_parse) \
    F(random, gnutls_rnd)

#define CBLITE_GNUTLS_FIELD(field, function) __typeof__(&function) field;
struct cblite_gnutls {
    CBLITE_GNUTLS_FUNCTIONS(CBLITE_GNUTLS_FIELD)
};

// Fills the table; false if the library or a function is missing.
static inline bool cblite_gnutls_load(struct cblite_gnutls *gnutls) {
    void *library = dlopen(CBLITE_GNUTLS_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
    bool complete = true;
#define CBLITE_GNUTLS_LOAD(field, function) \
    *(void **)&gnutls->field = dlsym(library, #function); \
    complete = complete && gnutls->field;
    CBLITE_GNUTLS_FUNCTIONS(CBLITE_GNUTLS_LOAD)
    return complete;
}

// Numbers that are macros with casts, or belong to enumerations of several types.
static const unsigned cblite_gnutls_client = GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL;
static const unsigned cblite_gnutls_server = GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL;
static const unsigned cblite_gnutls_signing_usage = GNUTLS_KEY_DIGITAL_SIGNATURE;
static const unsigned cblite_gnutls_issuing_usage = GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN;
static const unsigned cblite_gnutls_curve = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
static const unsigned cblite_gnutls_any_trust_purpose = GNUTLS_VERIFY_ALLOW_X509_V1_CA_CRT;
static const unsigned cblite_gnutls_signature_alone =
    GNUTLS_VERIFY_DISABLE_CA_SIGN | GNUTLS_VERIFY_DISABLE_TIME_CHECKS | GNUTLS_VERIFY_ALLOW_SIGN_WITH_SHA1;
